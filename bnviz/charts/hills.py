"""What each layer receives: a column of hills for each network, the start's outline behind each.

The distributions of the layer chart alone, from two narrow columns on a phone to four wide ones;
as stacks, on the home page, with the network's loss in a strip over each column.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Callout, Rows, Series, Text
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.distributions import (
    BESIDE,
    HEAT_FULL_WORDS,
    NetworkPlace,
    distribution,
    start_outlines,
)
from bnviz.charts.hill_columns import HEAD, STRIP, HillLayout, plan
from bnviz.charts.layer_plan import MOST_RIDGES, row_height
from bnviz.charts.loss import CLIP
from bnviz.charts.panels import (
    arrange,
    axis_key,
    axis_name,
    first_fitting,
)
from bnviz.charts.scale import REACH, layer_ticks, zones
from bnviz.charts.spread_axis import spread_ticks, spread_x, zone_shapes, zone_words
from bnviz.charts.time_axis import add_line, add_marks, marks_axis, step_axis

# Where what is said of a network that has stopped stands, in rows over the last layer.
SAID = 0.75
# The numbers on the axis of the loss: so few that they stand apart where its strip is lowest.
LOSSES = (0.1, 10, 1000)
# The losses that its axis always has, in decades: higher or lower ones widen it.
USUAL_LOSSES = (-1.3, 1.3)


def build(view: ChartView) -> Chart:
    """What the nonlinearity of every layer receives, now and at the start."""
    return _build(view, "hills", stacked=False)


def build_stacks(view: ChartView) -> Chart:
    """The same, with the loss over each column, without names: they stand over the figure."""
    return _build(view, "stacks", stacked=True)


def _build(view: ChartView, name: str, *, stacked: bool) -> Chart:
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, heat = theme.networks(view.norms), view.layers > MOST_RIDGES
    figure, bindings = go.Figure(), list[Binding]()
    names = view.layer_names()
    centres = [float(row) for row in range(1, len(names) + 1)]
    for number, norm in enumerate(view.norms):
        place = NetworkPlace(view, theme, sizes, norm, styles[norm], number, y=_rows_axis(number),
                      flat="share", above=SAID, tall=not heat)  # fmt: skip
        bindings += [] if heat else start_outlines(figure, place)
        bindings += distribution(figure, place, heat=heat, outside=True)
        if stacked:
            bindings += _strip(figure, view, theme, sizes, number)
        bindings.append(
            Callout(network=norm, field=f"{norm}.histogram.nonlinearity_input",
                    x=spread_x(number), y=_rows_axis(number), rows=names,
                    words=dict(view.texts["callout"]))
        )  # fmt: skip
    bindings.append(Rows(axis="y", centres=centres, half=0.5, names=names))
    figure.layout = _layout(view, theme, sizes, stacked=stacked)
    plans = {form: plan(view, sizes, form, stacked=stacked)
             for form in ("wide", "compact", "medium")}  # fmt: skip
    patches = {form: (made.height, _placement(view, theme, sizes, made, stacked=stacked))
               for form, made in plans.items()}  # fmt: skip
    arranged = arrange(figure, view, patches["wide"], patches["compact"], patches["medium"])
    for form, made in plans.items():
        arranged[form]["least"] = made.least
    texts = view.texts["hills"]
    subtitle = texts["subtitle_heat" if heat else "subtitle"].format(
        step="{step}", input=view.texts["phi"][view.config.activation], probe=view.probe_text(),
        share=HEAT_FULL_WORDS,
    )  # fmt: skip
    if zones(view.config.activation):
        subtitle += texts["shaded"]
    return Chart(
        name=name, title=texts.get(f"title_{view.config.network}", texts["title"]),
        subtitle=subtitle, figure=figure, bindings=bindings, time=stacked,
        needs=("histogram", "start_histogram", "saturation"),
        table=_table(view, names, subtitle), **arranged,
    )  # fmt: skip


def _rows_axis(number: int) -> str:
    return axis_name("y", number)


def _strip_axes(view: ChartView, number: int) -> tuple[str, str, str]:
    """Axes of a network's loss: steps, values, and those of its marks."""
    count = len(view.norms)
    return (axis_name("x", count + number), axis_name("y", count + 2 * number + 1),
            axis_name("y", count + 2 * number))  # fmt: skip


def _strip(
    figure: go.Figure, view: ChartView, theme: themes.Theme, sizes: themes.Type, number: int
) -> list[Binding]:
    """A network's loss on the test set, and its newest value beside it."""
    norm, styles = view.norms[number], theme.networks(view.norms)
    steps, values, marks = _strip_axes(view, number)
    series = Series(trace=len(figure.data), field=f"{norm}.test_loss", clip=CLIP)
    bindings: list[Binding] = [add_line(figure, series, styles[norm], width=2, x=steps, y=values)]
    figure.add_trace(
        go.Scatter(
            x=[BESIDE], y=[0.3], text=[""], mode="text", textposition="middle right",
            hoverinfo="skip", cliponaxis=False, xaxis=spread_x(number), yaxis=marks,
            textfont={"color": styles[norm].text, "size": sizes.heading, "weight": 600},
        )
    )  # fmt: skip
    bindings.append(
        Text(trace=len(figure.data) - 1, field=f"{norm}.test_loss", format="number",
             template="\N{NO-BREAK SPACE}{value}", nonfinite="\N{NO-BREAK SPACE}∞")
    )  # fmt: skip
    return bindings + add_marks(figure, view, theme, sizes, styles, networks=(norm,), x=steps,
                                y=marks, plot=STRIP)  # fmt: skip


def _layout(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, *, stacked: bool
) -> dict[str, Any]:
    """Axes, without their places."""
    axes: dict[str, Any] = {}
    for number in range(len(view.norms)):
        x, y = spread_x(number), _rows_axis(number)
        axes[axis_key(x)] = themes.axis(
            theme, sizes, range=[-REACH, REACH], anchor=y, matches=None if number == 0 else "x"
        )
        axes[axis_key(y)] = themes.axis(
            theme, sizes, range=[0.42, view.layers + HEAD], anchor=x, fixedrange=True,
            showgrid=False, ticklabelstandoff=4, matches=None if number == 0 else "y",
        )  # fmt: skip
        if not stacked:
            continue
        steps, values, marks = _strip_axes(view, number)
        first_steps, first_values, _ = _strip_axes(view, 0)
        same = (None, None) if number == 0 else (first_steps, first_values)
        axes[axis_key(marks)] = marks_axis(steps)
        axes[axis_key(steps)] = step_axis(
            theme, sizes, "", anchor=values, matches=same[0], showticklabels=False
        )
        low, high = (math.log10(bound) for bound in CLIP)
        axes[axis_key(values)] = themes.axis(
            theme, sizes, type="log", anchor=steps, matches=same[1], autorange=True,
            autorangeoptions={"include": USUAL_LOSSES, "minallowed": low, "maxallowed": high},
            tickmode="array", tickvals=LOSSES, ticktext=[f"{loss:g}" for loss in LOSSES],
            fixedrange=True,
        )  # fmt: skip
    return themes.layout(theme, sizes, **axes)


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, made: HillLayout, *, stacked: bool
) -> dict[str, Any]:
    """Flat layout changes that put the columns in their places and give them fitting words."""
    styles, (headings, size) = theme.networks(view.norms), made.headings
    notes, shapes = list[dict[str, Any]](), list[dict[str, Any]]()
    patch: dict[str, Any] = {
        f"margin.{side}": room for side, room in zip("lrtb", made.margin, strict=True)
    }
    numbers = spread_ticks(made.column, sizes)
    rows = layer_ticks(view.layers, first=made.first, output=None,
                       row=0.85 * row_height(view), size=sizes.base)  # fmt: skip
    title = _title(view, sizes, made.column + made.gutter)
    for number, (norm, (x, y)) in enumerate(zip(view.norms, made.places, strict=True)):
        across, along = axis_key(spread_x(number)), axis_key(_rows_axis(number))
        patch |= {f"{across}.domain": list(x), f"{along}.domain": list(y)}
        patch |= {f"{across}.{name}": value for name, value in numbers.items()}
        patch |= {f"{along}.{name}": value for name, value in rows.items()}
        patch[f"{across}.title.text"] = title
        first = x[0] == 0
        patch[f"{along}.showticklabels"] = first or made.numbered
        if stacked:
            strip, marked = made.strips[number]
            steps, values, marks = _strip_axes(view, number)
            patch |= {
                f"{axis_key(steps)}.domain": list(x), f"{axis_key(values)}.domain": list(strip),
                f"{axis_key(marks)}.domain": list(marked),
                f"{axis_key(values)}.showticklabels": first or made.numbered,
            }  # fmt: skip
            notes += _loss_word(view, theme, sizes, x[0], marked[1]) if first else []
        else:
            notes.append(
                themes.heading(
                    headings[number], styles[norm], theme, replace(sizes, heading=size),
                    x=x[0], y=y[1], yshift=2 + round(1.5 * sizes.small),
                )
            )  # fmt: skip
        notes += _zone_words(view, theme, sizes, made, number)
        shapes += zone_shapes(view, theme, number, y)
    return {**patch, "annotations": notes, "shapes": shapes}


def _title(view: ChartView, sizes: themes.Type, room: float) -> str:
    given = str(view.texts["phi"][view.config.activation])
    longer = str(view.texts["layers"]["axis"]).format(input=given)
    return first_fitting([longer, given], sizes.small, room)


def _note(text: str, sizes: themes.Type, colour: str, **at: Any) -> dict[str, Any]:
    return {"text": text, "showarrow": False, "font": {"size": sizes.small, "color": colour}, **at}


def _loss_word(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, x: float, top: float
) -> list[dict[str, Any]]:
    """What the strips show, over their numbers."""
    return [_note(f"<b>{view.texts['hills']['loss']}</b>", sizes, theme.ink, xref="paper", x=x,
                  xanchor="right", xshift=-6, yref="paper", y=top, yanchor="top")]  # fmt: skip


def _zone_words(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, made: HillLayout, number: int
) -> list[dict[str, Any]]:
    """What the zones are called, over the column, and what the shares beside it are of."""
    if not zones(view.config.activation):
        return []
    texts, top = view.texts["hills"], made.places[number][1][1]
    upward = {"yref": "paper", "y": top, "yanchor": "bottom", "yshift": 1}
    notes = zone_words(view, theme, sizes, number, made.column, **upward)
    share = first_fitting([texts["share"], texts["share_short"]], sizes.small, made.gutter)
    return [*notes, _note(share, sizes, theme.muted, xref=spread_x(number), x=REACH,
                         xanchor="left", xshift=3, **upward)]  # fmt: skip


def _table(view: ChartView, names: list[str], caption: str) -> Table:
    say, texts = view.texts["common"]["network_column"], view.texts["hills"]
    found = {"zone_column": "saturation.saturated"} if zones(view.config.activation) else {}
    fields = {**found, "above_column": "histogram.overflow", "below_column": "histogram.underflow"}
    columns = [
        Column(say.format(network=view.label(norm), what=texts[what]), f"{norm}.{field}",
               "percent0")
        for norm in view.norms for what, field in fields.items()
    ]  # fmt: skip
    return Table(caption, columns, rows="vector", row_names=names)
