"""Histograms of the inputs of all nonlinearities: one column per network.

Behind them are the histograms of step 0. The home page omits network names and axis numbers.
"""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, rows
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.distribution_axis import distribution_ticks, zone_shapes, zone_words
from bnviz.charts.distributions import (
    NetworkPlace,
    callout,
    distribution,
)
from bnviz.charts.hill_columns import HEAD, WIDE_STACKS, HillLayout, plan
from bnviz.charts.layer_plan import FORMS, MOST_RIDGES, row_height
from bnviz.charts.panels import (
    Arrangement,
    arrange,
    axis_key,
    axis_name,
    first_fitting,
    flat,
    margins,
)
from bnviz.charts.scale import REACH, layer_ticks, zones
from bnviz.charts.theme import Attributes

# Distance from the last layer up to the text about a stopped network, in rows.
SAID = 0.75


def build(view: ChartView) -> Chart:
    return _build(view, stacked=False)


def build_stacks(view: ChartView) -> Chart:
    """Build the chart without axis numbers and without names, which the page shows above it."""
    return _build(view, stacked=True)


def _build(view: ChartView, *, stacked: bool) -> Chart:
    heat = view.layers > MOST_RIDGES
    figure, bindings = go.Figure(), Bindings()
    names = view.layer_names()
    for number, norm in enumerate(view.norms):
        place = NetworkPlace(view, norm, number, y=_rows_axis(number),
                             flat="share", above=SAID, tall=not heat)  # fmt: skip
        bindings += distribution(figure, place, outside=True)
        bindings.append(callout(place, word=len(view.norms) < 3))
    bindings.append(rows("y", names))
    figure.layout = _layout(view, stacked=stacked)
    plans = [plan(view, form, stacked=stacked) for form in FORMS]
    arranged = arrange(
        figure, view,
        *(Arrangement(made.height, _placement(view, made, stacked=stacked), made.least)
          for made in plans),
        medium_below=WIDE_STACKS if stacked else None,
    )  # fmt: skip
    texts = view.texts["hills"]
    subtitle = texts["subtitle_heat"] if heat else texts["subtitle"] + texts["own_peak"]
    if zones(view.config.activation):
        subtitle += texts["shaded"]
    columns = view.columns(
        *((texts[what], field, "percent0") for what, field in shares(view).items())
    )
    return Chart(
        title=view.own(texts, "title"), subtitle=subtitle,
        figure=figure, bindings=bindings, table=Table(columns, names), **arranged,
    )  # fmt: skip


def _rows_axis(number: int) -> str:
    return axis_name("y", number)


def _layout(view: ChartView, *, stacked: bool) -> Attributes:
    axes: Attributes = {}
    for number in range(len(view.norms)):
        x, y = axis_name("x", number), _rows_axis(number)
        axes[axis_key(x)] = view.axis(
            range=[-REACH, REACH],
            anchor=y,
            matches=None if number == 0 else "x",
            showticklabels=not stacked,
            showgrid=not stacked,
            fixedrange=stacked,
            **({"ticks": ""} if stacked else {}),
        )
        axes[axis_key(y)] = view.axis(
            range=[0.42, view.layers + HEAD], anchor=x, fixedrange=True,
            showgrid=False, ticklabelstandoff=4, matches=None if number == 0 else "y",
        )  # fmt: skip
    return view.layout(**axes)


def _placement(view: ChartView, made: HillLayout, *, stacked: bool) -> Attributes:
    """Return layout changes (dotted keys) that place the columns and select texts that fit."""
    headings, size = made.headings
    notes, shapes = list[Attributes](), list[Attributes]()
    patch = margins(*made.margin)
    numbers = distribution_ticks(view, made.column)
    upright = layer_ticks(view.layers, first=made.first, output=None,
                       row=0.85 * row_height(view), size=view.sizes.base)  # fmt: skip
    title = _title(view, made.column + made.gutter)
    for number, (norm, (x, y)) in enumerate(zip(view.norms, made.places, strict=True)):
        first = x[0] == 0
        numbered = {"showticklabels": first or made.numbered}
        across: Attributes = {"title_text": title, **numbers}
        if stacked:
            across = {"title_text": view.own(view.texts["hills"], "title") if made.titled else ""}
        patch |= flat(axis_name("x", number), domain=x, **across)
        patch |= flat(_rows_axis(number), domain=y, **upright, **numbered)
        if not stacked:
            notes.append(
                view.heading(headings[number], norm, size, x=x[0], y=y[1],
                             yshift=2 + round(1.5 * view.sizes.small))
            )  # fmt: skip
        notes += _zone_words(view, made, number)
        shapes += zone_shapes(view, number, y)
    return {**patch, "annotations": notes, "shapes": shapes}


def _title(view: ChartView, room: float) -> str:
    longer = view.say(view.texts["layers"]["axis"])
    return first_fitting([longer, view.phi], view.sizes.small, room)


def _zone_words(view: ChartView, made: HillLayout, number: int) -> list[Attributes]:
    """Return the texts above a column: the names of its zones, and the heading of the shares."""
    if not zones(view.config.activation):
        return []
    texts, top = view.texts["hills"], made.places[number][1][1]
    upward: Attributes = {"yref": "paper", "y": top, "yanchor": "bottom", "yshift": 1}
    notes = zone_words(view, number, made.column, **upward)
    tries = [texts["share"], texts["share_short"]]
    share = first_fitting(tries, view.sizes.small, made.gutter + 4)
    return [*notes, view.note(share, view.theme.muted, xref=axis_name("x", number), x=REACH,
                              xanchor="left", xshift=3, **upward)]  # fmt: skip


def shares(view: ChartView) -> dict[str, str]:
    """Return the shares that the table shows, as {key of the heading: field}."""
    flat = {"zone_column": "saturation.saturated"} if zones(view.config.activation) else {}
    return {**flat, "above_column": "histogram.overflow", "below_column": "histogram.underflow"}
