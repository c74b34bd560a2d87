"""Histograms of the inputs of all nonlinearities of one network, for the presentation view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, rows
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.distribution_axis import distribution_ticks, zone_shapes
from bnviz.charts.distributions import NetworkPlace, distribution
from bnviz.charts.hills import shares
from bnviz.charts.layer_plan import gutter
from bnviz.charts.panels import Arrangement, arrange, text_width
from bnviz.charts.scale import REACH, layer_ticks, zones
from bnviz.charts.theme import PRESENTATION_TYPE
from bnviz.words.joining import labelled

# Space above the last layer for its numbers, in rows, and space above the plot for the name of the
# flat zone, in lines of text.
HEAD, NAMED = 0.6, 1.2
# Sizes in pixels on the smallest projector. `ROOM` is the height of all rows together. Its key says
# whether the chart has more than three networks; it then draws two networks per row. `COLUMN` is
# the width of the narrowest column, by form.
ROOM = {False: 280, True: 140}
COLUMN = {"wide": 370, "compact": 180}
# Width of a chart in pixels below which it takes the compact form.
NARROW = 500


def build(view: ChartView) -> Chart:
    norm = view.only or view.norms[0]
    row = ROOM[len(view.norms) > 3] / (view.layers + 0.5)
    figure, bindings = go.Figure(), Bindings()
    place = NetworkPlace(view, norm, 0, flat="share", above=None)
    shown = row >= 1.15 * view.sizes.small
    # Three networks are side by side. Unless the window is wide, texts at the ends of neighbouring
    # axes would overlap.
    beyond = len(view.norms) != 3 or view.large_type > PRESENTATION_TYPE[0]
    bindings += distribution(figure, place, outside=True, shares=shown, beyond=beyond)
    flat = zones(view.config.activation)
    # Shares in the flat zone are beside it, and shares beyond the axis are at the ends of the axis.
    room = gutter(view) if shown and flat else 0
    beside = {"l": 0, "r": 0, _side(flat)[0]: room}
    names = view.layer_names()
    bindings.append(rows("y", names))
    texts = view.texts["hills"]
    left = round(text_width(names[0], view.sizes.base)) + 12
    foot = round(1.6 * view.sizes.base)
    head = 2 + (round(NAMED * view.sizes.small) if flat else 0)
    right = round(0.5 * view.sizes.base)
    figure.layout = view.layout(
        margin={"l": left + beside["l"], "r": right + beside["r"], "t": head, "b": foot},
        xaxis=view.axis(range=[-REACH, REACH]),
        yaxis=view.axis(
            range=[0.42, view.layers + 0.5 + HEAD], fixedrange=True, showgrid=False,
            ticklabelstandoff=4 + beside["l"],
            **layer_ticks(view.layers, first=names[0], output=None, row=row, size=view.sizes.base),
        ),
        shapes=zone_shapes(view, 0, (0, 1)),
        annotations=[_zone(view, room)] if flat else [],
    )  # fmt: skip
    height = head + foot + ROOM[False]
    forms = [
        Arrangement(height, {f"xaxis.{name}": value
                             for name, value in distribution_ticks(view, column).items()})
        for column in COLUMN.values()
    ]  # fmt: skip
    subtitle = view.say(texts["subtitle_heat" if place.heat else "subtitle"])
    columns = [Column(texts[what], f"{norm}.{field}", "percent0")
               for what, field in shares(view).items()]  # fmt: skip
    arranged = arrange(figure, view, *forms)
    arranged["compact"]["below"] = NARROW
    return Chart(
        title=view.own(texts, "title"),
        subtitle=labelled(view.label(norm), subtitle), figure=figure, bindings=bindings,
        table=Table(columns, names, subtitle), **arranged,
    )  # fmt: skip


def _side(flat: Sequence[tuple[float, float]]) -> Literal["left", "right"]:
    """Return the end of the axis where the flat zone is, or "right" if it is at both ends."""
    return "right" if flat and flat[-1][1] == REACH else "left"


def _zone(view: ChartView, room: int) -> dict[str, object]:
    """Return the annotation with the flat zone's name, at the zone's end or above the shares."""
    side = _side(zones(view.config.activation))
    other, sign = ("left", 1) if side == "right" else ("right", -1)
    return view.note(
        view.texts["hills"]["zone_short"], view.theme.muted, xref="x",
        xanchor=other if room else side, x=sign * REACH * 0.985, xshift=sign * 6 if room else 0,
        yref="paper", y=1, yanchor="bottom", yshift=-1,
    )  # fmt: skip
