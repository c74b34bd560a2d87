"""What each layer receives: a column of hills for each network, the start's outline behind each.

The distributions of the layer chart alone, from two narrow columns on a phone to four wide ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Rows
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.distributions import HEAT_FULL_WORDS, Place, distribution, start_outlines
from bnviz.charts.layer_plan import MOST_RIDGES, Form, heading_words, row_height
from bnviz.charts.panels import Domain, arrange, axis_key, first_fitting, narrowest, text_width
from bnviz.charts.scale import REACH, layer_ticks, zones
from bnviz.charts.spread_axis import spread_ticks, spread_x, zone_shapes

# On a phone so many stand side by side.
MOST_ACROSS = 2
# Rows over the last layer: for the words at the flat zone's top, and for what is said of a network
# that has stopped.
HEAD, SAID = 1.3, 0.75
GAP = 14


@dataclass(frozen=True)
class Plan:
    """Places of the columns, and the pixels there are for words at the narrowest.

    Attributes:
        places: x and y domain of each network's column.
        height: of the whole figure in pixels.
        least: the lowest figure whose rows still hold their words.
        margin: left, right, top and bottom in pixels.
        column: width of a column in pixels.
        headings: words over the columns, and their size.
    """

    places: tuple[tuple[Domain, Domain], ...]
    height: int
    least: int
    margin: tuple[int, int, int, int]
    column: float
    headings: tuple[tuple[str, ...], int]


def build(view: ChartView) -> Chart:
    """What the nonlinearity of every layer receives, now and at the start."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, heat = theme.networks(view.norms), view.layers > MOST_RIDGES
    figure, bindings = go.Figure(), list[Binding]()
    for number, norm in enumerate(view.norms):
        place = Place(view, theme, sizes, norm, styles[norm], number, y=_rows_axis(number),
                      flat="share", above=SAID)  # fmt: skip
        bindings += [] if heat else start_outlines(figure, place)
        bindings += distribution(figure, place, heat=heat, outside=False)
    names = view.layer_names()
    centres = [float(row) for row in range(1, len(names) + 1)]
    bindings.append(Rows(axis="y", centres=centres, half=0.5, names=names))
    figure.layout = _layout(view, theme, sizes)
    plans = {form: _plan(view, sizes, form) for form in ("wide", "compact", "medium")}
    patches = {form: (made.height, _placement(view, theme, sizes, made))
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
        name="hills", title=texts.get(f"title_{view.config.network}", texts["title"]),
        subtitle=subtitle, figure=figure, bindings=bindings,
        needs=("histogram", "start_histogram", "saturation"), source=view.texts["source"]["hills"],
        table=_table(view, names, subtitle), **arranged,
    )  # fmt: skip


def _rows_axis(number: int) -> str:
    return "y" if number == 0 else f"y{number + 1}"


def _layout(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
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
    return themes.layout(theme, sizes, **axes)


def _plan(view: ChartView, sizes: themes.Type, form: Form) -> Plan:
    count = len(view.norms)
    across = min(count, MOST_ACROSS) if form == "compact" else count
    left = round(text_width(view.layer_names()[0], sizes.base)) + 12
    right = round(0.5 * sizes.base)
    inner = narrowest(view, form) - left - right
    column = (inner - GAP * (across - 1)) / across
    words, size = heading_words(view, sizes, column + GAP - 6)
    lines = max(word.count("<br>") for word in words)
    top = round(2.0 * sizes.heading + lines * 1.25 * size)
    foot = round(3.6 * sizes.base)
    down = -(-count // across)
    plot = row_height(view) * (view.layers + HEAD - 0.42)
    whole = down * plot + (down - 1) * (top + foot)
    places = []
    for number in range(count):
        x, y = number % across * (column + GAP), number // across * (plot + top + foot)
        places.append((
            (x / inner, min((x + column) / inner, 1.0)),
            (max(1 - (y + plot) / whole, 0.0), 1 - y / whole),
        ))  # fmt: skip
    height, around = round(whole) + top + foot, top + foot
    low = down == 1 and view.layers <= MOST_RIDGES
    least = around + round(1.5 * sizes.base * (view.layers + 1)) if low else height
    return Plan(tuple(places), height, least, (left, right, top, foot), column, (words, size))


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, plan: Plan
) -> dict[str, Any]:
    """Flat layout changes that put the columns in their places and give them fitting words."""
    styles, (headings, size) = theme.networks(view.norms), plan.headings
    notes, shapes = list[dict[str, Any]](), list[dict[str, Any]]()
    patch: dict[str, Any] = {
        f"margin.{side}": room for side, room in zip("lrtb", plan.margin, strict=True)
    }
    numbers = spread_ticks(plan.column, sizes)
    rows = layer_ticks(view.layers, first=view.layer_names()[0], output=None,
                       row=0.85 * row_height(view), size=sizes.base)  # fmt: skip
    title = _title(view, sizes, plan.column + GAP)
    for number, (norm, (x, y)) in enumerate(zip(view.norms, plan.places, strict=True)):
        across, along = axis_key(spread_x(number)), axis_key(_rows_axis(number))
        patch |= {f"{across}.domain": list(x), f"{along}.domain": list(y)}
        patch |= {f"{across}.{name}": value for name, value in numbers.items()}
        patch |= {f"{along}.{name}": value for name, value in rows.items()}
        patch[f"{across}.title.text"] = title
        patch[f"{along}.showticklabels"] = x[0] == 0
        notes.append(
            themes.heading(
                headings[number], styles[norm], theme, replace(sizes, heading=size),
                x=x[0], y=y[1], yshift=2,
            )
        )  # fmt: skip
        notes += _zone_words(view, theme, sizes, number, y[1])
        shapes += zone_shapes(view, theme, number, y)
    return {**patch, "annotations": notes, "shapes": shapes}


def _title(view: ChartView, sizes: themes.Type, room: float) -> str:
    given = str(view.texts["phi"][view.config.activation])
    longer = str(view.texts["layers"]["axis"]).format(input=given)
    return first_fitting([longer, given], sizes.small, room)


def _zone_words(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, number: int, top: float
) -> list[dict[str, Any]]:
    """What the shaded zone is called, over the shares that are printed in it."""
    found = zones(view.config.activation)
    if not found:
        return []
    side = "right" if found[-1][1] == REACH else "left"
    return [{
        "text": view.texts["hills"]["zone"], "showarrow": False, "xref": spread_x(number),
        "x": (REACH if side == "right" else -REACH) * 0.985, "xanchor": side, "yref": "paper",
        "y": top, "yanchor": "top", "font": {"size": sizes.small, "color": theme.muted},
    }]  # fmt: skip


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
