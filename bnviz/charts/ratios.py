"""Static chart of a comparison: ratios of one network's quantities to another network's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

import plotly.graph_objects as go

from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_trace, text_width, widest
from bnviz.charts.series import NARROWEST, value_text
from bnviz.charts.theme import Attributes
from bnviz.planned_runs.comparison import ComparisonResult
from bnviz.words.numbers import write

# Height of a row, as a multiple of the type size. The name of a run has its own row.
ROW = 1.75
TOP = 4
# Distance in pixels from a point to its number, and margin in pixels to the right of the axis.
AWAY, RIGHT = 9, 10
# Smallest and largest value that the axis always includes, and number of powers of ten. If the axis
# spans more than this number, only powers of ten have numbers on it.
LEAST, MOST, FEW = 0.2, 5.0, 2.5


def build_ratios(
    result: ComparisonResult, view: ChartView, names: Mapping[str, str], axis: str
) -> go.Figure:
    """Draw the name of each run and, below it, a line from 1 to each quantity's ratio."""
    ratios = result.comparison.ratios
    assert ratios is not None
    rows: list[tuple[str, float | None]] = []
    heads: list[tuple[float, str]] = []
    for each in result.members:
        heads.append((-len(rows), value_text(each.value)))
        rows.append(("", None))
        rows += [(names[gauge], each.ratios[gauge]) for gauge in ratios.gauges]
    drawn = [(-place, value) for place, (_, value) in enumerate(rows) if value is not None]
    left = round(widest((name for name, _ in rows), view.sizes.small)) + 12
    row, bottom = ROW * view.sizes.small, view.foot
    figure = go.Figure()
    add_trace(figure, go.Scatter(
        x=[part for _, value in drawn for part in (1, value, None)],
        y=[part for at, _ in drawn for part in (at, at, None)],
        mode="lines", line={"color": view.theme.ink, "width": 2}, hoverinfo="skip", name="",
    ))  # fmt: skip
    add_trace(figure, go.Scatter(
        x=[value for _, value in drawn], y=[at for at, _ in drawn], mode="markers",
        marker={"color": view.theme.ink, "size": 9}, name="",
        customdata=[rows[-at][0] for at, _ in drawn],
        hovertemplate="%{customdata}: %{x:.3g}<extra></extra>",
    ))  # fmt: skip
    names_axis: Attributes = {
        "tickmode": "array", "tickvals": [-place for place, (name, _) in enumerate(rows) if name],
        "ticktext": [name for name, _ in rows if name], "range": [0.6 - len(rows), 0.6],
        "tickfont": {"size": view.sizes.small, "color": view.theme.ink}, "showgrid": False,
    }  # fmt: skip
    figure.layout = view.layout(
        height=round(TOP + row * len(rows) + bottom), dragmode=False,
        margin={"l": left, "r": RIGHT, "t": TOP, "b": bottom},
        xaxis=view.axis(
            axis, **_ratio_axis(view, [value for _, value in drawn], NARROWEST - left - RIGHT)
        ),
        yaxis=view.axis(**names_axis), shapes=[view.level(xref="x", x0=1, x1=1)],
        annotations=[*_heads(view, heads, left), *_numbers(view, drawn)],
    )  # fmt: skip
    return figure


def _ratio_axis(view: ChartView, values: Sequence[float], pixels: int) -> Attributes:
    """Return a log axis with room for each ratio, and for its number on the side away from 1."""
    low, high = log10(LEAST), log10(MOST)
    for _ in range(20):
        for value in values:
            number = text_width(write(value, "number"), view.sizes.small) + 2 * AWAY
            room = number / pixels * (high - low)
            low, high = min(low, log10(value)), max(high, log10(value))
            low, high = (
                (low, max(high, log10(value) + room)) if value >= 1
                else (min(low, log10(value) - room), high)
            )  # fmt: skip
    steps = (1, 3) if high - low <= FEW else (1,)
    shown = [
        step * 10.0**power for power in range(floor(low), ceil(high)) for step in steps
        if low <= log10(step) + power <= high
    ]  # fmt: skip
    return {
        "type": "log", "range": [low, high], "tickmode": "array", "tickvals": shown,
        "ticktext": [f"{tick:g}" for tick in shown],
    }  # fmt: skip


def _heads(view: ChartView, heads: Sequence[tuple[float, str]], left: int) -> list[Attributes]:
    """Return annotations with the runs' names, each above its rows, at the left edge."""
    return [
        {"text": f"<b>{name}</b>", "x": 0, "xref": "paper", "xanchor": "left", "xshift": -left,
         "y": at, "yref": "y", "showarrow": False, "align": "left",
         "font": {"size": view.sizes.small}}
        for at, name in heads
    ]  # fmt: skip


def _numbers(view: ChartView, drawn: Sequence[tuple[float, float]]) -> list[Attributes]:
    """Return annotations with the ratios as numbers, beyond the ends of their lines."""
    return [
        view.note(write(value, "number"), view.theme.ink, x=log10(value), xref="x", y=at, yref="y",
                  xanchor="left" if value >= 1 else "right", xshift=AWAY if value >= 1 else -AWAY)
        for at, value in drawn
    ]  # fmt: skip
