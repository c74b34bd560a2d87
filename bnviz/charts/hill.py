"""What each layer of one network receives, large: on the stage every network has such a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Rows
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.distributions import HEAT_FULL_WORDS, NetworkPlace, distribution, start_outlines
from bnviz.charts.layer_plan import MOST_RIDGES, gutter
from bnviz.charts.panels import arrange, text_width
from bnviz.charts.scale import REACH, layer_ticks, zones
from bnviz.charts.spread_axis import spread_ticks, zone_shapes
from bnviz.words.joining import labelled

# Rows over the last layer's row for the words at the flat zone's top, and over its middle for those
# of a network that has stopped.
HEAD, SAID = 0.6, 0.62
# Lines of type that those words take there, and with the share under them in the last layer's row.
ALONE, OVER_SHARE = 1.2, 1.9
# Pixels that the rows have together on the lowest projector: with networks side by side, and two by
# two; and the narrowest columns there, wide and compact.
ROOM = {False: 280, True: 140}
COLUMN = {"wide": 370, "compact": 180}
# A card narrower than this takes the compact form.
NARROW = 500


def build(view: ChartView) -> Chart:
    """What the nonlinearity of every layer receives now and at the start, in one network."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    norm = view.only or view.norms[0]
    style, heat = theme.networks(view.norms)[norm], view.layers > MOST_RIDGES
    row = ROOM[len(view.norms) > 3] / (view.layers + 0.5)
    figure, bindings = go.Figure(), list[Binding]()
    place = NetworkPlace(view, theme, sizes, norm, style, 0, flat="share", above=SAID)
    bindings += [] if heat else start_outlines(figure, place)
    shares = row >= 1.15 * sizes.small
    # Three stand side by side: in a window that is not wide both ends' words would meet there.
    beyond = len(view.norms) != 3 or view.large > themes.HALL[0]
    bindings += distribution(figure, place, heat=heat, outside=True, shares=shares, beyond=beyond)
    flat = zones(view.config.activation)
    # The shares in the flat zone stand beside it, what lies beyond the axis at its ends.
    room = gutter(view, sizes) if shares and flat else 0
    beside = {"l": 0, "r": 0, _side(flat)[0]: room}
    names = view.layer_names()
    centres = [float(row) for row in range(1, len(names) + 1)]
    bindings.append(Rows(axis="y", centres=centres, half=0.5, names=names))
    texts = view.texts["hills"]
    left = round(text_width(names[0], sizes.base)) + 12
    foot = round(1.6 * sizes.base)
    head = max(HEAD, (OVER_SHARE if shares and flat else ALONE) * sizes.small / row)
    figure.layout = themes.layout(
        theme, sizes,
        margin={"l": left + beside["l"], "r": round(0.5 * sizes.base) + beside["r"],
                "t": 2, "b": foot},
        xaxis=themes.axis(theme, sizes, range=[-REACH, REACH]),
        yaxis=themes.axis(
            theme, sizes, range=[0.42, view.layers + 0.5 + head], fixedrange=True, showgrid=False,
            ticklabelstandoff=4 + beside["l"],
            **layer_ticks(view.layers, first=names[0], output=None, row=row, size=sizes.base),
        ),
        shapes=zone_shapes(view, theme, 0, (0, 1)),
        annotations=[_zone(view, theme, sizes, room)] if flat else [],
    )  # fmt: skip
    height = 2 + foot + ROOM[False]
    forms = {}
    for form, column in COLUMN.items():
        ticks = spread_ticks(column, sizes)
        forms[form] = (height, {f"xaxis.{name}": value for name, value in ticks.items()})
    subtitle = texts["subtitle_heat" if heat else "subtitle"].format(
        step="{step}", input=view.texts["phi"][view.config.activation], probe=view.probe_text(),
        share=HEAT_FULL_WORDS,
    )  # fmt: skip
    arranged = arrange(figure, view, forms["wide"], forms["compact"])
    arranged["compact"]["below"] = NARROW
    return Chart(
        name="hill", title=texts.get(f"title_{view.config.network}", texts["title"]),
        subtitle=labelled(view.label(norm), subtitle), figure=figure, bindings=bindings,
        needs=("histogram", "start_histogram", "saturation"),
        table=_table(view, norm, names, subtitle), **arranged,
    )  # fmt: skip


def _side(flat: Sequence[tuple[float, float]]) -> Literal["left", "right"]:
    """The end of the axis at which the flat zone is, the right one where both are."""
    return "right" if flat and flat[-1][1] == REACH else "left"


def _zone(view: ChartView, theme: themes.Theme, sizes: themes.Type, room: int) -> dict[str, object]:
    """What the shaded zone is called, over the shares that are printed beside it."""
    side = _side(zones(view.config.activation))
    return {
        "text": view.texts["hills"]["zone"], "showarrow": False, "xref": "x", "xanchor": side,
        "yref": "paper", "y": 1,
        "x": (REACH if side == "right" else -REACH) * 0.985, "yanchor": "top",
        "xshift": room if side == "right" else -room,
        "font": {"size": sizes.small, "color": theme.muted},
    }  # fmt: skip


def _table(view: ChartView, norm: str, names: list[str], caption: str) -> Table:
    texts = view.texts["hills"]
    found = {"zone_column": "saturation.saturated"} if zones(view.config.activation) else {}
    fields = {**found, "above_column": "histogram.overflow", "below_column": "histogram.underflow"}
    columns = [Column(texts[what], f"{norm}.{field}", "percent0") for what, field in fields.items()]
    return Table(caption, columns, rows="vector", row_names=names)
