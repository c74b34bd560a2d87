"""Static figures for nine learning rates: accuracy, weight length, and why the length grows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import plotly.graph_objects as go

from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_trace
from bnviz.charts.series import value_text
from bnviz.charts.theme import Attributes
from bnviz.planned_runs.compared_rates import LEARNED, ComparedRates
from bnviz.words.numbers import write

PLOTS = (190, 260)
LENGTHS, LENGTHS_LARGE = 130, 180
TOP = 14
# Upper end of the axis in percent: above 100, so that a line at the top is not cut off.
MOST = 102.0
TRIANGLE = 130


def build_accuracies(found: ComparedRates, view: ChartView, axis: str) -> go.Figure:
    """Plot each network's median test accuracy over the rate, with the range over seeds."""
    figure, middle = go.Figure(), {norm: found.middle(norm) for norm in found.accuracies}
    for norm, rows in found.accuracies.items():
        _add_line(figure, view, norm, found.rates, [[100 * each for each in row] for row in rows])
    # Put the names where the networks differ most.
    gaps = [max(each) - min(each) for each in zip(*middle.values(), strict=True)]
    at = gaps.index(max(gaps))
    highest = max(middle, key=lambda norm: middle[norm][at])
    names = [
        _name(view, norm, found.rates[at], 100 * line[at], above=norm != highest)
        for norm, line in middle.items()
    ]
    accuracies = view.axis(
        view.texts["accuracy"]["axis"], range=[0, MOST],
        tickvals=[0, 25, 50, 75, 100 * LEARNED, 100],
        ticktext=["0", "25", "50", "75", f"{100 * LEARNED:g}", ""],
    )  # fmt: skip
    levels = [
        view.level(yref="y", y0=100 * LEARNED, y1=100 * LEARNED),
        view.chance("start", yref="y"),
    ]
    return _lay_out(figure, view, PLOTS, found, axis, accuracies, names, levels)


def build_lengths(
    found: ComparedRates, view: ChartView, norm: str, words: Mapping[str, str]
) -> go.Figure:
    """Plot the factor by which one network's weights grew at each rate."""
    figure = go.Figure()
    rows = [[each for each in row if each is not None] for row in found.lengths[norm]]
    _add_line(figure, view, norm, found.rates, rows)
    drawn = [(rate, at) for rate, at in zip(found.rates, found.grown(norm), strict=True) if at]
    times = view.texts["gradient_change"]["times"].strip()
    numbers = [
        view.note(
            times.format(value=write(at, "number3")), view.styles[norm].text, view.sizes.base,
            x=math.log10(rate), y=math.log10(at), yshift=13,
            xshift=-26 if at > 1.5 else 0,  # beside a rising line
        )
        for rate, at in drawn
    ]  # fmt: skip
    highest = max(max(row) for row in rows if row)
    ticks = [tick for tick in (1, 10, 100, 1000) if tick <= 1.2 * highest]
    lengths = view.axis(
        words["lengths"], type="log", tickvals=ticks, ticktext=[f"{tick}" for tick in ticks],
        range=[math.log10(0.85), math.log10(highest) + 0.25],
    )  # fmt: skip
    return _lay_out(
        figure, view, (LENGTHS, LENGTHS_LARGE), found, words["axis"], lengths, numbers, []
    )


def build_right_angle(view: ChartView, norm: str, words: Mapping[str, str]) -> go.Figure:
    """Draw the old weights, the step and the new weights as a right-angled triangle."""
    style, width, high = view.styles[norm], 3.0, 0.9
    muted = view.theme.muted

    def arrow(start: Sequence[float], end: Sequence[float], colour: str) -> Attributes:
        return {
            "x": end[0], "y": end[1], "ax": start[0], "ay": start[1], "xref": "x", "yref": "y",
            "axref": "x", "ayref": "y", "text": "", "showarrow": True, "arrowhead": 2,
            "arrowsize": 1.1, "arrowwidth": 2, "arrowcolor": colour,
        }  # fmt: skip

    def note(text: str, x: float, y: float, colour: str, **at: Any) -> Attributes:
        return view.note(text, colour, view.sizes.base, x=x, y=y, xref="x", yref="y", **at)

    corner, side = (width, 0.0), 0.14
    square = f"M {width - side},0 L {width - side},{side} L {width},{side}"
    figure = go.Figure()
    figure.layout = view.layout(
        height=TRIANGLE, dragmode=False, margin={"l": 4, "r": 4, "t": 4, "b": 4},
        xaxis={"visible": False, "range": [-0.1, width + 0.8], "fixedrange": True},
        yaxis={"visible": False, "range": [-0.4, high + 0.35], "fixedrange": True,
               "scaleanchor": "x"},
        shapes=[{"type": "path", "path": square, "line": {"color": muted, "width": 1.2}}],
        annotations=[
            arrow((0, 0), corner, muted), arrow(corner, (width, high), view.theme.ink),
            arrow((0, 0), (width, high), style.line),
            note(words["before"], width / 2, -0.2, muted),
            note(words["step"], width + 0.1, high / 2, view.theme.ink, xanchor="left"),
            note(words["after"], 0, high + 0.2, style.text, xanchor="left"),
        ],
    )  # fmt: skip
    return figure


def _add_line(
    figure: go.Figure, view: ChartView, norm: str, rates: Sequence[float],
    rows: Sequence[Sequence[float]],
) -> None:  # fmt: skip
    """Add the median of each row, with whiskers to its smallest and largest number."""
    style = view.styles[norm]
    middle = [median(row) if row else None for row in rows]
    drawn = list(zip(rows, middle, strict=True))
    add_trace(figure, go.Scatter(
        x=list(rates), y=middle, mode="lines+markers", cliponaxis=False, name="",
        line=style.stroke(2), marker=style.marker(8), connectgaps=False,
        error_y={
            "type": "data", "symmetric": False, "thickness": 1.2, "width": 4, "color": style.line,
            "array": [0 if at is None else max(row) - at for row, at in drawn],
            "arrayminus": [0 if at is None else at - min(row) for row, at in drawn],
        },
        hovertemplate=f"%{{x}}, {view.label(norm)}: %{{y:.3g}}<extra></extra>",
    ))  # fmt: skip


def _name(view: ChartView, norm: str, rate: float, percent: float, *, above: bool) -> Attributes:
    return view.note(
        view.label(norm), view.styles[norm].text, view.sizes.base, x=math.log10(rate), y=percent,
        yshift=14 if above else -14, xshift=50 if above else 0,
    )  # fmt: skip


def _lay_out(
    figure: go.Figure, view: ChartView, plots: tuple[int, int], found: ComparedRates, axis: str,
    upward: Attributes, notes: list[Attributes], levels: list[Attributes],
) -> go.Figure:  # fmt: skip
    plot = plots[1] if view.large_type else plots[0]
    low, high = (math.log10(rate) for rate in (found.rates[0], found.rates[-1]))
    across = view.axis(
        axis, type="log", range=[low - 0.15, high + 0.15], tickvals=list(found.rates),
        ticktext=[value_text(rate) for rate in found.rates], fixedrange=True,
    )  # fmt: skip
    figure.layout = view.layout(
        height=TOP + plot + view.foot, dragmode=False, xaxis=across,
        yaxis={**upward, "fixedrange": True}, shapes=levels,
        annotations=notes, margin={"l": view.left_margin(4), "r": 14, "t": TOP, "b": view.foot},
    )  # fmt: skip
    return figure
