"""What each layer receives: a column of hills for each network, the start's outline behind each.

The distributions of the layer chart alone, from two narrow columns on a phone to four wide ones;
as stacks, on the home page, with the network's loss in a strip over each column.
"""

from __future__ import annotations

import math

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, Text, rows
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.distributions import (
    BESIDE,
    NetworkPlace,
    callout,
    distribution,
)
from bnviz.charts.hill_columns import HEAD, STRIP, HillLayout, plan
from bnviz.charts.layer_plan import FORMS, MOST_RIDGES, row_height
from bnviz.charts.loss import CLIP
from bnviz.charts.panels import (
    Arrangement,
    add_words,
    arrange,
    axis_key,
    axis_name,
    first_fitting,
    flat,
    margins,
)
from bnviz.charts.scale import REACH, layer_ticks, log_range, zones
from bnviz.charts.spread_axis import spread_ticks, zone_shapes, zone_words
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import add_line, add_marks, marks_axis, steps

# Where what is said of a network that has stopped stands, in rows over the last layer.
SAID = 0.75
# The numbers on the axis of the loss: so few that they stand apart where its strip is lowest.
LOSSES = (0.1, 10, 1000)
# The losses that its axis always has, in decades: higher or lower ones widen it.
USUAL_LOSSES = (-1.3, 1.3)


def build(view: ChartView) -> Chart:
    """What the nonlinearity of every layer receives, now and at the start."""
    return _build(view, stacked=False)


def build_stacks(view: ChartView) -> Chart:
    """The same, with the loss over each column, without names: they stand over the figure."""
    return _build(view, stacked=True)


def _build(view: ChartView, *, stacked: bool) -> Chart:
    heat = view.layers > MOST_RIDGES
    figure, bindings = go.Figure(), Bindings()
    names = view.layer_names()
    for number, norm in enumerate(view.norms):
        place = NetworkPlace(view, norm, number, y=_rows_axis(number),
                             flat="share", above=SAID, tall=not heat)  # fmt: skip
        bindings += distribution(figure, place, outside=True)
        if stacked:
            bindings += _strip(figure, view, number)
        bindings.append(callout(place))
    bindings.append(rows("y", names))
    figure.layout = _layout(view, stacked=stacked)
    plans = [plan(view, form, stacked=stacked) for form in FORMS]
    arranged = arrange(
        figure, view,
        *(Arrangement(made.height, _placement(view, made, stacked=stacked), made.least)
          for made in plans),
    )  # fmt: skip
    texts = view.texts["hills"]
    subtitle = texts["subtitle_heat" if heat else "subtitle"]
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


def _strip_axes(view: ChartView, number: int) -> tuple[str, str, str]:
    """Axes of a network's loss: steps, values, and those of its marks."""
    count = len(view.norms)
    return (axis_name("x", count + number), axis_name("y", count + 2 * number + 1),
            axis_name("y", count + 2 * number))  # fmt: skip


def _strip(figure: go.Figure, view: ChartView, number: int) -> Bindings:
    """A network's loss on the test set, and its newest value beside it."""
    norm = view.norms[number]
    style = view.styles[norm]
    across, values, marks = _strip_axes(view, number)
    field = f"{norm}.test_loss"
    line = add_line(figure, style, field=field, clip=CLIP, width=2, x=across, y=values)
    trace = add_words(
        figure, [BESIDE], [0.3], xaxis=axis_name("x", number), yaxis=marks,
        textposition="middle right",
        textfont={"color": style.text, "size": view.sizes.heading, "weight": 600},
    )  # fmt: skip
    newest = Text(
        trace=trace, field=field, format="number", template="\N{NO-BREAK SPACE}{value}",
        nonfinite="\N{NO-BREAK SPACE}∞",
    )  # fmt: skip
    events = add_marks(figure, view, networks=(norm,), x=across, y=marks, plot=STRIP)
    return [line, newest, *events]


def _layout(view: ChartView, *, stacked: bool) -> Attributes:
    """Axes, without their places."""
    axes: Attributes = {}
    for number in range(len(view.norms)):
        x, y = axis_name("x", number), _rows_axis(number)
        axes[axis_key(x)] = view.axis(
            range=[-REACH, REACH], anchor=y, matches=None if number == 0 else "x"
        )
        axes[axis_key(y)] = view.axis(
            range=[0.42, view.layers + HEAD], anchor=x, fixedrange=True,
            showgrid=False, ticklabelstandoff=4, matches=None if number == 0 else "y",
        )  # fmt: skip
        if not stacked:
            continue
        across, values, marks = _strip_axes(view, number)
        same = (None, None) if number == 0 else _strip_axes(view, 0)[:2]
        axes[axis_key(marks)] = marks_axis(across)
        axes[axis_key(across)] = view.axis(
            **steps(), anchor=values, matches=same[0], showticklabels=False
        )
        axes[axis_key(values)] = view.axis(
            **log_range(*map(math.log10, CLIP), include=USUAL_LOSSES), anchor=across,
            matches=same[1], tickmode="array", tickvals=LOSSES,
            ticktext=[f"{loss:g}" for loss in LOSSES], fixedrange=True,
        )  # fmt: skip
    return view.layout(**axes)


def _placement(view: ChartView, made: HillLayout, *, stacked: bool) -> Attributes:
    """Flat layout changes that put the columns in their places and give them fitting words."""
    headings, size = made.headings
    notes, shapes = list[Attributes](), list[Attributes]()
    patch = margins(*made.margin)
    numbers = spread_ticks(view, made.column)
    upright = layer_ticks(view.layers, first=made.first, output=None,
                       row=0.85 * row_height(view), size=view.sizes.base)  # fmt: skip
    title = _title(view, made.column + made.gutter)
    for number, (norm, (x, y)) in enumerate(zip(view.norms, made.places, strict=True)):
        first = x[0] == 0
        numbered = {"showticklabels": first or made.numbered}
        patch |= flat(axis_name("x", number), domain=x, title_text=title, **numbers)
        patch |= flat(_rows_axis(number), domain=y, **upright, **numbered)
        if stacked:
            strip, marked = made.strips[number]
            across, values, marks = _strip_axes(view, number)
            patch |= flat(across, domain=x) | flat(values, domain=strip, **numbered)
            patch |= flat(marks, domain=marked)
            notes += _loss_word(view, x[0], marked[1]) if first else []
        else:
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


def _loss_word(view: ChartView, x: float, top: float) -> list[Attributes]:
    """What the strips show, over their numbers."""
    return [view.note(f"<b>{view.texts['hills']['loss']}</b>", view.theme.ink, xref="paper", x=x,
                      xanchor="right", xshift=-6, yref="paper", y=top, yanchor="top")]  # fmt: skip


def _zone_words(view: ChartView, made: HillLayout, number: int) -> list[Attributes]:
    """What the zones are called, over the column, and what the shares beside it are of."""
    if not zones(view.config.activation):
        return []
    texts, top = view.texts["hills"], made.places[number][1][1]
    upward: Attributes = {"yref": "paper", "y": top, "yanchor": "bottom", "yshift": 1}
    notes = zone_words(view, number, made.column, **upward)
    share = first_fitting([texts["share"], texts["share_short"]], view.sizes.small, made.gutter)
    return [*notes, view.note(share, view.theme.muted, xref=axis_name("x", number), x=REACH,
                              xanchor="left", xshift=3, **upward)]  # fmt: skip


def shares(view: ChartView) -> dict[str, str]:
    """The shares in the table: the words over each, and its field."""
    flat = {"zone_column": "saturation.saturated"} if zones(view.config.activation) else {}
    return {**flat, "above_column": "histogram.overflow", "below_column": "histogram.underflow"}
