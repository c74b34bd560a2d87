"""Networks as rows of nodes: a histogram per layer, and links whose thickness shows the gradient.

Data flow from left to right, gradients from right to left. With more than ten layers, each node is
a heat strip, and the links form one stream below the nodes.
"""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.distribution_axis import saturated_column
from bnviz.charts.layer_plan import FORMS
from bnviz.charts.network_plan import (
    BRACKET,
    HALF,
    HALF_OUTPUT,
    OUTPUT,
    NetworkLayout,
    is_heat,
    plan,
    reach,
)
from bnviz.charts.network_rows import POWERS, beside_axis, hills, links, rows_axis, strips, words
from bnviz.charts.nodes import Doors, NodeCallout
from bnviz.charts.panels import Arrangement, arrange, axis_key, first_fitting, flat, margins
from bnviz.charts.scale import REACH, asinh_ticks, decades, zones
from bnviz.charts.theme import Attributes
from bnviz.networks.skips import block_count, skip_sources

# Charts that a click on a node opens.
OPENS = ("percentiles_layer", "drift", "jacobian")
# Distance of a bracket's ends from the middle of a layer; neighbouring layers are 1 apart.
BESIDE = 0.08
# Length and thickness in pixels of the wedge in the key, which shows the thickness of links.
WEDGE = (46, 12)


def build(view: ChartView) -> Chart:
    heat = is_heat(view)
    figure, bindings = go.Figure(), Bindings()
    names = view.layer_names()
    spans = [(row - 0.5, row + 0.5) if heat else (row - HALF, row + HALF)
             for row in range(1, len(names) + 1)]  # fmt: skip
    for number, norm in enumerate(view.norms):
        bindings += links(figure, view, number)
        bindings += (strips if heat else hills)(figure, view, number)
        bindings += words(figure, view, number)
        bindings.append(
            NodeCallout(network=norm, field=f"{norm}.histogram.nonlinearity_input", x="x",
                        y=rows_axis(number), rows=names, words=dict(view.texts["callout"]),
                        spans=spans, reach=(-REACH, REACH) if heat else (0, 1), heading=number)
        )  # fmt: skip
    doors = [(row - 0.5, row + 0.5) for row in range(1, len(names) + 1)]
    said = view.texts["network"]
    bindings.append(
        Doors(x="x", spans=doors, names=names, selector="layer", opens=OPENS, label=said["open"])
    )
    figure.layout = _layout(view)
    plans = [plan(view, form) for form in FORMS]
    arranged = arrange(
        figure, view,
        *(Arrangement(made.height, _placement(view, made), made.height) for made in plans),
    )  # fmt: skip
    subtitle = said["subtitle_heat" if heat else "subtitle"]
    if block_count(view.config.depth, view.config.skip):
        subtitle += said["brackets"]
    return Chart(
        subtitle=subtitle, figure=figure, bindings=bindings, table=_table(view), **arranged
    )


def _layout(view: ChartView) -> Attributes:
    last, heat = len(view.norms) - 1, is_heat(view)
    fixed: Attributes = {"fixedrange": True, "showgrid": False}
    axes: Attributes = {
        "xaxis": view.axis(
            range=list(reach(view)), side="bottom", position=0,
            anchor=beside_axis(last) if heat else rows_axis(last), **fixed,
        )
    }  # fmt: skip
    for number in range(len(view.norms)):
        values = {**asinh_ticks((-100, 0, 100)), "minor": {"ticks": ""}} if heat else {}
        axes[axis_key(rows_axis(number))] = view.axis(
            range=[-REACH, REACH] if heat else [0, 1], anchor="x", visible=heat, **values, **fixed,
        )  # fmt: skip
        axes[axis_key(beside_axis(number))] = {"visible": False, "range": [0, 1], "anchor": "x",
                                           **fixed}  # fmt: skip
    return view.layout(**axes, dragmode=False)


def _placement(view: ChartView, made: NetworkLayout) -> Attributes:
    """Return layout changes (dotted keys) that place the networks and select texts that fit."""
    patch = margins(*made.margin)
    patch |= flat("x", title_text=_title(view, made), **made.ticks)
    notes = []
    for number, norm in enumerate(view.norms):
        rows = made.rows[number]
        patch |= flat(rows_axis(number), domain=rows)
        patch |= flat(beside_axis(number), domain=made.beside[number])
        notes.append(view.heading(view.label(norm), norm, x=0, y=rows[1], yshift=made.head))
    notes.append(_key(view, made))
    shapes = [shape for number in range(len(view.norms))
              for shape in _nodes(view, number)]  # fmt: skip
    shapes += _brackets(view, made)
    return {**patch, "annotations": notes, "shapes": [*shapes, _wedge(view, made)]}


def _brackets(view: ChartView, made: NetworkLayout) -> list[Attributes]:
    """Return brackets above each network: one from start to end of each skip connection."""
    if not made.leads:
        return []
    ends = enumerate(skip_sources(view.config.depth, view.config.skip), start=1)
    path = "".join(
        f"M{source + 1 + BESIDE:.2f},2V{made.leads + BRACKET // 2}H{end - BESIDE:.2f}V2"
        for end, source in ends if source is not None
    )  # fmt: skip
    line = {"color": view.theme.muted, "width": 1}
    return [
        {"type": "path", "xref": "x", "yref": "paper", "ysizemode": "pixel", "yanchor": top,
         "path": path, "line": line}
        for _, top in made.rows
    ]  # fmt: skip


def _title(view: ChartView, made: NetworkLayout) -> str:
    said, phi = view.texts["network"], view.config.activation
    shaded = ""
    if zones(phi):
        zone = view.texts["layers"]["no_gradient" if phi == "relu" else "saturated"]
        shaded = said["shaded"].format(zone=zone)
    key = "axis_heat" if is_heat(view) else "axis"
    tries = [view.say(said[key], shaded=text) for text in (shaded, "")]
    tries += [view.say(said["axis_short"]), view.phi]
    return first_fitting(tries, view.sizes.small, made.inner)


def _key(view: ChartView, made: NetworkLayout) -> Attributes:
    """Return the text of the key: the gradients of the thinnest and thickest link."""
    low, high = decades(*POWERS, labelled=1)["ticktext"][:: POWERS[1] - POWERS[0]]
    said = view.texts["network"]
    tries = [said[key].format(low=low, high=high) for key in ("key", "key_medium", "key_short")]
    indent = WEDGE[0] + 8
    return view.note(
        first_fitting(tries, view.sizes.small, made.inner - indent), view.theme.muted,
        xref="paper", x=0, xanchor="left", xshift=indent,
        yref="paper", y=0, yanchor="middle", yshift=-_key_place(view, made),
    )  # fmt: skip


def _key_place(view: ChartView, made: NetworkLayout) -> int:
    """Return the pixels from the bottom of the plot to the middle of the key."""
    return made.margin[3] - round(0.9 * view.sizes.small)


def _wedge(view: ChartView, made: NetworkLayout) -> Attributes:
    """Return the wedge of the key: a link that grows from minimum to maximum thickness."""
    (long, thick), y = WEDGE, -_key_place(view, made)
    return {
        "type": "path", "xref": "paper", "yref": "paper", "xsizemode": "pixel",
        "ysizemode": "pixel", "xanchor": 0, "yanchor": 0, "fillcolor": view.theme.muted,
        "opacity": 0.7, "path": f"M0,{y}L{long},{y + thick / 2}L{long},{y - thick / 2}Z",
        "line": {"width": 0},
    }  # fmt: skip


def _nodes(view: ChartView, number: int) -> list[Attributes]:
    """Return the nodes of a network, with their flat zones and a line at 0."""
    at = {"xref": "x", "yref": rows_axis(number), "layer": "below"}
    rows = range(1, view.layers + 1)
    if is_heat(view):
        low, _ = reach(view)
        return [
            view.zone(**at, x0=low, x1=view.layers + 0.5, y0=start, y1=end)
            for start, end in zones(view.config.activation)
        ]
    boxes = [(row - HALF, row + HALF) for row in rows]
    output = view.layers + OUTPUT
    boxes.append((output - HALF_OUTPUT, output + HALF_OUTPUT))
    flat = [(row + HALF * start / REACH, row + HALF * end / REACH) for row in rows
            for start, end in zones(view.config.activation)]  # fmt: skip
    zero = "".join(f"M{row},0V1" for row in rows)
    return [
        *([{"type": "path", **at, "path": _boxes(flat), "fillcolor": view.theme.zone,
            "line": {"width": 0}}] if flat else []),
        {"type": "path", **at, "path": zero, "line": {"color": view.theme.grid, "width": 1}},
        {"type": "path", **at, "path": _boxes(boxes),
         "line": {"color": view.theme.dead, "width": 1}},
    ]  # fmt: skip


def _boxes(spans: list[tuple[float, float]]) -> str:
    """Return a path around these x ranges, each as high as its axis."""
    return "".join(f"M{left:.4f},0H{right:.4f}V1H{left:.4f}Z" for left, right in spans)


def _table(view: ChartView) -> Table:
    texts = view.texts["network"]
    columns = view.columns(
        *saturated_column(view),
        (texts["gradient_column"], "gradients.grad_pre_activation_rms"),
        (texts["growth_column"], "gradients.growth"),
    )
    return Table(columns, view.layer_names(output=True), texts["title"])
