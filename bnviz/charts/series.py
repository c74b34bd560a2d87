"""Static charts of a series of runs: accuracy curves on shared axes, and final results."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import plotly.graph_objects as go

from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_trace, text_width, widest
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import end_labels
from bnviz.planned_runs.comparison import ComparisonResult, Curve, MemberResult, VariedValue

PLOTS = (250, 330)
OUTCOME, OUTCOME_LARGE = 150, 210
TOP = 10
# Upper end of the axis in percent: above 100, so that a line at the top is not cut off.
MOST = 102.0
# Pixels from the end of a line to its label.
AWAY = 16
# Smallest width of the figure in pixels. Numbers that would touch at this width are left out.
NARROWEST = 320
# Minimum ratio of the largest to the smallest value at which the axis is logarithmic.
WIDE_APART = 20.0


def value_text(value: VariedValue) -> str:
    """Format a varied value: 0.058, 3, 1e-5."""
    return value if isinstance(value, str) else f"{value:.10g}"


def build_curves(result: ComparisonResult, view: ChartView) -> go.Figure:
    """Plot the test accuracy of every network of every run, with labels at the lines' ends."""
    plot = PLOTS[1] if view.large_type else PLOTS[0]
    figure = go.Figure()
    ends = []
    for each in result.members:
        for norm in result.comparison.norms:
            curve, style = each.curves[norm], view.styles[norm]
            add_trace(figure, go.Scatter(
                x=curve.steps, y=[100 * share for share in curve.accuracies], mode="lines",
                line=style.stroke(1.8), name="",
                hovertemplate=f"{value_text(each.value)}, {view.label(norm)}: "
                "%{y:.3g} %<extra></extra>",
            ))  # fmt: skip
            ends.append(_End(value_text(each.value), style.text, curve))
    last = result.comparison.plan.last_step
    values = [*map(value_text, result.comparison.settings)]
    return _lay_out(
        figure, view, plot, right=round(widest(values, view.sizes.small)) + AWAY + 12,
        annotations=_names(ends, view, plot, last),
        xaxis=view.axis(view.text("step"), range=[0, last], nticks=6),
        yaxis=_accuracies(view), shapes=[view.chance(yref="y")],
    )  # fmt: skip


def build_outcome(result: ComparisonResult, view: ChartView, axis: str, reaches: str) -> go.Figure:
    """Plot the last accuracy of each network over the varied value, or in a race the step at which
    it reached the target accuracy.
    """
    figure, names = go.Figure(), end_labels(view)
    for norm in result.comparison.norms:
        style = view.styles[norm]
        drawn = [(each, _outcome(result, each, norm)) for each in result.members]
        add_trace(figure, go.Scatter(
            x=[each.value for each, _ in drawn], y=[y for _, y in drawn],
            mode="lines+markers", cliponaxis=False, name="", connectgaps=False,
            line=style.stroke(1.8), marker=style.marker(8),
            hovertemplate=f"%{{x}}, {view.label(norm)}: %{{y:.3g}}<extra></extra>",
        ))  # fmt: skip
    races = result.comparison.races
    most = result.comparison.plan.last_step
    value_axis = (
        view.axis(reaches, range=[0, 1.05 * most], nticks=5)
        if races else _accuracies(view)
    )  # fmt: skip
    return _lay_out(
        figure, view, OUTCOME_LARGE if view.large_type else OUTCOME,
        right=round(widest(names.values(), view.sizes.base)) + 14,
        annotations=_networks(result, names, view),
        xaxis=view.axis(axis, **_values_axis(result, view)),
        yaxis=value_axis, shapes=[] if races else [view.chance(yref="y")],
    )  # fmt: skip


def _lay_out(
    figure: go.Figure, view: ChartView, plot: int, *, right: int, **more: Any
) -> go.Figure:
    figure.layout = view.layout(
        height=TOP + plot + view.foot, dragmode=False,
        margin={"l": view.left_margin(4), "r": right, "t": TOP, "b": view.foot}, **more,
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class _End:
    """Curve with a label at its end, and the label's text and colour."""

    text: str
    colour: str
    curve: Curve

    @property
    def percent(self) -> float:
        return 100 * self.curve.last


def _names(ends: Sequence[_End], view: ChartView, plot: int, last: int) -> list[Attributes]:
    """Return the labels at the ends of lines; labels at the right edge are moved apart."""
    pixels = plot / MOST
    edge = [end for end in ends if end.curve.steps[-1] == last]
    apart = separate_labels(
        [end.percent * pixels for end in edge], 1.12 * view.sizes.small, float(plot)
    )
    moved = {id(end): place - end.percent * pixels for end, place in zip(edge, apart, strict=True)}
    return [
        {
            "x": end.curve.steps[-1], "y": end.percent, "xref": "x", "yref": "y",
            "text": end.text, "showarrow": True, "arrowhead": 0, "arrowwidth": 0.8,
            "arrowcolor": end.colour, "standoff": 1,
            # Offset of the label in pixels: right of the end, or above the end of a shorter line.
            "ax": AWAY if id(end) in moved else 0,
            "ay": -moved[id(end)] if id(end) in moved else -AWAY,
            "xanchor": "left" if id(end) in moved else "center",
            "font": {"size": view.sizes.small, "color": end.colour},
        }
        for end in ends
    ]  # fmt: skip


def separate_labels(places: Sequence[float], gap: float, most: float) -> list[float]:
    """Return label positions in [0, `most`], at least `gap` apart, or less if they do not fit."""
    if len(places) < 2:
        return list(places)
    gap = min(gap, most / (len(places) - 1))
    order = sorted(range(len(places)), key=lambda at: places[at])
    # Each number is the position of the first label that would put this label at its own
    # position. Groups that overlap are merged, and each group uses its mean.
    groups: list[list[float]] = []
    for number, at in enumerate(order):
        groups.append([places[at] - number * gap])
        while len(groups) > 1 and fmean(groups[-2]) > fmean(groups[-1]):
            met = groups.pop()
            groups[-1] += met
    firsts = [fmean(group) for group in groups for _ in group]
    found, room = [0.0] * len(places), most - gap * (len(places) - 1)
    for number, (at, first) in enumerate(zip(order, firsts, strict=True)):
        found[at] = min(max(first, 0.0), room) + number * gap
    return found


def _networks(result: ComparisonResult, names: dict[str, str], view: ChartView) -> list[Attributes]:
    if not result.members:
        return []
    newest = result.members[-1]
    found = []
    for norm in result.comparison.norms:
        at = _outcome(result, newest, norm)
        if at is not None:
            found.append(
                {
                    "x": _annotated(newest.value, result), "y": at, "xref": "x",
                    "yref": "y", "text": names[norm], "showarrow": False, "xanchor": "left",
                    "xshift": 8, "font": {"color": view.styles[norm].text},
                }
            )  # fmt: skip
    return _apart(found)


def _apart(found: list[Attributes]) -> list[Attributes]:
    ordered = sorted(found, key=lambda each: float(each["y"]))
    for low, high in itertools.pairwise(ordered):
        if high["y"] - low["y"] < MOST / 8:
            low["yshift"], high["yshift"] = low.get("yshift", 0) - 7, 7
    return found


def _outcome(result: ComparisonResult, each: MemberResult, norm: str) -> float | None:
    curve = each.curves[norm]
    return curve.reached if result.comparison.races else 100 * curve.last


def _logarithmic(result: ComparisonResult) -> bool:
    values = [*result.comparison.settings]
    numbers = [value for value in values if not isinstance(value, str)]
    return (
        len(numbers) == len(values)
        and min(numbers) > 0
        and max(numbers) >= WIDE_APART * min(numbers)
    )


def _annotated(value: VariedValue, result: ComparisonResult) -> VariedValue:
    """Return the axis position of a value for annotations, which is log10 on a log axis."""
    if isinstance(value, str):
        return value
    return math.log10(value) if _logarithmic(result) else value


def _values_axis(result: ComparisonResult, view: ChartView) -> Attributes:
    """Return the axis of the varied value, with numbers where there is room."""
    values = [*result.comparison.settings]
    if any(isinstance(value, str) for value in values):
        return {"type": "category", "categoryarray": [value_text(value) for value in values],
                "range": [-0.3, len(values) - 0.7]}  # fmt: skip
    log = _logarithmic(result)
    at = [math.log10(float(v)) if log else float(v) for v in values]
    low, high = min(at), max(at)
    room, taken, texts = NARROWEST / 2, -math.inf, {}
    for place, value in sorted(zip(at, values, strict=True)):
        text = value_text(value)
        centre, half = room * (place - low) / (high - low), text_width(text, view.sizes.base) / 2
        texts[value] = text if centre - half > taken else ""
        taken = centre + half + 4 if texts[value] else taken
    edge = 0.04 * (high - low)
    return {
        "type": "log" if log else "linear", "range": [low - edge, high + edge],
        "tickvals": list(texts), "ticktext": list(texts.values()),
    }  # fmt: skip


def _accuracies(view: ChartView) -> Attributes:
    return view.axis(view.texts["accuracy"]["axis"], range=[0, MOST], tickvals=[0, 25, 50, 75, 100])
