"""Batch normalization in numbers for one unit: Algorithm 1 as a graph, and the values as strips."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, Text, edge_marks, grey
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.panels import Arrangement, Block, add_trace, add_words, arrange, margins, pile
from bnviz.charts.percentiles import layer_selector, unit_selector
from bnviz.charts.theme import Attributes
from bnviz.probes.axis import normalized_values

NORM = "batch"
UNIT = "$layer,$unit"
# Limit of the axis in both directions. Values beyond ±4 are drawn at its ends.
REACH = 4.0
STRIPS = ("x", "normalized", "y")
# Further columns of the table, with one number each.
TABLED = ("mean", "var", "factor", "gamma", "beta", "running_mean", "running_var")
# Sizes in pixels: height of the graph and of a strip, gap between strips, and size of a node's box.
# With large type, all sizes except the gap are multiplied by `LARGER`.
GRAPH, STRIP, BETWEEN = 204, 34, 6
BOX, BOX_COMPACT = (64, 26), (52, 26)
LARGER = 1.5
# Gap in pixels between an arrow and a node.
CLEAR = 4


@dataclass(frozen=True)
class Node:
    """Number in the graph.

    Attributes:
        value: value of the probe `unit_batch`, and its key in charts.toml.
        x, y: position, as shares of the graph.
        stored: running average that is shown below the number, or "".
    """

    value: str
    x: float
    y: float
    stored: str = ""
    index: str = UNIT


UPPER, LOWER = 0.74, 0.36
NODES = (
    Node("x", 0.1, UPPER, index=f"{UNIT},0"),
    Node("centred", 0.36, UPPER),
    Node("normalized", 0.64, UPPER, index=f"{UNIT},0"),
    Node("y", 0.9, UPPER, index=f"{UNIT},0"),
    Node("mean", 0.1, LOWER, "running_mean"),
    Node("var", 0.295, LOWER, "running_var"),
    Node("factor", 0.5, LOWER),
    Node("gamma", 0.705, LOWER),
    Node("beta", 0.9, LOWER),
)
ARROWS = (
    ("x", "centred"), ("centred", "normalized"), ("normalized", "y"), ("x", "mean"),
    ("mean", "centred"), ("centred", "var"), ("var", "factor"), ("factor", "normalized"),
    ("gamma", "y"), ("beta", "y"),
)  # fmt: skip


def build(view: ChartView) -> Chart:
    texts, figure = view.texts["formula"], go.Figure()
    bindings = _numbers(figure, view) + _strips(figure, view)
    figure.layout = _layout(view)
    count = normalized_values(view.layers)
    subtitle = view.say(texts["subtitle"], network=view.label(NORM), count=count)
    arranged = arrange(figure, view, *(_placement(view, box) for box in (BOX, BOX_COMPACT)))
    return Chart(
        subtitle=subtitle, figure=figure, bindings=bindings, table=_table(view, count),
        selectors=(layer_selector(view), unit_selector(view)), **arranged,
    )  # fmt: skip


def _numbers(figure: go.Figure, view: ChartView) -> Bindings:
    """Add the numbers at the nodes, and the running averages below them."""
    stored = [node for node in NODES if node.stored]
    numbers, count = [*NODES, *stored], len(NODES)
    add_words(
        figure, [node.x for node in numbers], [node.y for node in NODES] + [0.0] * len(stored),
        textposition=["middle center"] * count + ["top center"] * len(stored),
        textfont={"color": view.styles[NORM].text, "size": view.sizes.small},
    )  # fmt: skip
    field = f"{NORM}.unit_batch."
    found: Bindings = [
        Text(trace=0, field=field + node.value, index=node.index, at=at, format="number3")
        for at, node in enumerate(NODES)
    ]
    found += [
        Text(trace=0, field=field + node.stored, index=UNIT, at=count + at, format="number3",
             template=view.texts["formula"]["stored"])
        for at, node in enumerate(stored)
    ]  # fmt: skip
    return found


def _strips(figure: go.Figure, view: ChartView) -> Bindings:
    """Add one stroke per example to each strip, and a dot for the first example."""
    bindings, style = Bindings(), view.styles[NORM]
    for place, value in enumerate(STRIPS):
        for first in (False, True):
            inside = "circle" if first else "line-ns-open"
            trace = add_trace(figure, go.Scatter(
                x=[None], y=[0.0] if first else [0.0] * 64, mode="markers", xaxis="x2",
                yaxis=f"y{place + 2}", cliponaxis=False, opacity=1 if first else 0.6,
                marker={"color": style.line, "size": 10 if first else 18, "symbol": inside,
                        "line": {"width": 0 if first else 1.5, "color": style.line}},
                hovertemplate="%{x:.3~g}<extra></extra>",
            ))  # fmt: skip
            dead = {"marker.color": view.theme.dead, "marker.line.color": view.theme.dead}
            alive = {"marker.color": style.line, "marker.line.color": style.line}
            bindings += [
                Array(
                    trace=trace, attr="x", field=f"{NORM}.unit_batch.{value}",
                    index=f"{UNIT},0" if first else UNIT, clip=(-REACH, REACH),
                    edges=edge_marks(inside),
                ),
                grey(NORM, trace, alive, dead),
            ]  # fmt: skip
    return bindings


def _layout(view: ChartView) -> Attributes:
    hidden = {"visible": False, "range": [0, 1], "fixedrange": True}
    texts = view.texts["formula"]
    strips = {
        f"yaxis{place + 2}": view.axis(
            anchor="x2", range=[-1, 1], fixedrange=True, showgrid=False,
            tickmode="array", tickvals=[0], ticktext=[texts[f"strip_{value}"]],
            tickfont={"color": view.theme.ink, "size": view.sizes.heading},
        )
        for place, value in enumerate(STRIPS)
    }  # fmt: skip
    values = view.axis(
        texts["axis"], anchor=f"y{len(STRIPS) + 1}", dtick=1,
        range=[-1.03 * REACH, 1.03 * REACH], zeroline=True, zerolinecolor=view.theme.muted,
    )  # fmt: skip
    return view.layout(
        xaxis={**hidden, "anchor": "y"}, yaxis={**hidden, "anchor": "x"}, xaxis2=values, **strips
    )


def _placement(view: ChartView, box: tuple[float, float]) -> Arrangement:
    """Return the figure's height and layout, with nodes of size `box`."""
    larger = LARGER if view.large_type else 1.0
    box = (larger * box[0], larger * box[1])
    foot, top = view.foot, 4
    graph = Block(top, round(GRAPH * larger), round(1.0 * view.sizes.base))
    strip = Block(0, round(STRIP * larger), BETWEEN)
    height, rows = pile([graph, strip, strip, Block(0, strip.plot, foot)], top, foot)
    patch: Attributes = {
        **margins(round(2.2 * view.sizes.heading), view.sizes.base, top, foot),
        "xaxis.domain": [0, 1], "xaxis2.domain": [0, 1],
        **{f"yaxis{'' if place == 0 else place + 1}.domain": list(row)
           for place, row in enumerate(rows)},
        "shapes": [_box(node, view, box) for node in NODES],
        "annotations": [
            *(_arrow(source, target, view, box) for source, target in ARROWS),
            *(_name(node, view, box) for node in NODES),
            _whole(view),
        ],
    }  # fmt: skip
    # If the figure were less tall, the texts above and below the boxes would overlap.
    return Arrangement(height, patch, least=height)


def _box(node: Node, view: ChartView, box: tuple[float, float]) -> Attributes:
    wide, high = (side / 2 for side in box)
    return {
        "type": "rect", "layer": "below", "xref": "x", "yref": "y", "xsizemode": "pixel",
        "ysizemode": "pixel", "xanchor": node.x, "yanchor": node.y, "x0": -wide, "x1": wide,
        "y0": -high, "y1": high, "fillcolor": view.theme.zone,
        "line": {"color": view.theme.muted, "width": 1},
    }  # fmt: skip


def _arrow(source: str, target: str, view: ChartView, box: tuple[float, float]) -> Attributes:
    """Return an arrow from the edge of one node's box to the edge of another node's box."""
    start, end = (next(node for node in NODES if node.value == name) for name in (source, target))
    level = start.y == end.y
    away = box[0 if level else 1] / 2 + CLEAR
    return {
        "x": end.x, "y": end.y, "ax": start.x, "ay": start.y, "xref": "x", "yref": "y",
        "axref": "x", "ayref": "y", "text": "", "showarrow": True, "arrowhead": 2,
        "arrowsize": 0.9, "arrowwidth": 1.2, "arrowcolor": view.theme.muted, "standoff": away,
        "startstandoff": away,
    }  # fmt: skip


def _name(node: Node, view: ChartView, box: tuple[float, float]) -> Attributes:
    """Return the annotation with a node's name, above an upper node and below a lower node."""
    side = 1 if node.y == UPPER else -1
    return view.note(
        view.texts["formula"][node.value], view.theme.ink, xref="x", yref="y", x=node.x, y=node.y,
        yshift=side * round(box[1] / 2 + 1), yanchor="bottom" if side > 0 else "top",
    )  # fmt: skip


def _whole(view: ChartView) -> Attributes:
    """Return the note which says that the lower numbers are the same for all examples."""
    return view.note(
        view.texts["formula"]["all"], view.theme.muted, xref="x", yref="y", x=1.0, y=0.0,
        xanchor="right", yanchor="bottom",
    )  # fmt: skip


def _table(view: ChartView, count: int) -> Table:
    texts, field = view.texts["formula"], f"{NORM}.unit_batch."
    names = [texts["example"].format(number=number) for number in range(1, count + 1)]
    columns = [Column(f"{view.label(NORM)}, {texts[f'strip_{value}']}", field + value, "number3",
                      UNIT) for value in STRIPS]  # fmt: skip
    columns += [Column(texts[value], field + value, "number3", UNIT) for value in TABLED]
    return Table(columns, names)
