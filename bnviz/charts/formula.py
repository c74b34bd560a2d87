"""Batch normalization by numbers: the graph of Algorithm 1 for one unit, its values as strips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding, State, Text
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.panels import Block, arrange, pile
from bnviz.charts.percentiles import layer_selector, unit_selector
from bnviz.probes.axis import normalized_values

NORM = "batch"
UNIT = "$layer,$unit"
# Values beyond are marked at the edge.
REACH = 4.0
STRIPS = ("x", "normalized", "y")
# What the table has beside them, one number each.
TABLED = ("mean", "var", "factor", "gamma", "beta", "running_mean", "running_var")
# Pixels: the graph, a strip, and a node's box; for large type half as much again.
GRAPH, STRIP, BETWEEN = 204, 34, 6
BOX, BOX_COMPACT = (64, 26), (52, 26)
LARGER = 1.5
# How far an arrow ends before a node.
CLEAR = 4


@dataclass(frozen=True)
class Node:
    """A number of the graph.

    Attributes:
        value: of the probe `unit_batch`, named likewise in charts.toml.
        x, y: where it stands, as shares of the graph.
        stored: the stored value that stands under it; "" for none.
        index: which part of the value.
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
    """Every number of Algorithm 1 for the first example, and where all examples lie."""
    texts, theme = view.texts["formula"], themes.theme(view.dark)
    sizes = themes.type_sizes(large=view.large)
    style, figure = theme.networks(view.norms)[NORM], go.Figure()
    bindings = _numbers(figure, view, sizes, style) + _strips(figure, theme, style)
    figure.layout = _layout(view, theme, sizes)
    wide, compact = (_placement(view, theme, sizes, box) for box in (BOX, BOX_COMPACT))
    count = normalized_values(view.layers)
    subtitle = texts["subtitle"].format(step="{step}", network=view.label(NORM), count=count)
    arranged = arrange(figure, view, wide, compact)
    # In a lower figure the words above and below its boxes would meet.
    for form, (height, _) in (("wide", wide), ("compact", compact)):
        arranged[form]["least"] = height
    return Chart(
        name="formula", title=texts["title"], subtitle=subtitle, figure=figure, bindings=bindings,
        needs=("unit_batch",), selectors=(layer_selector(view), unit_selector(view)),
        table=_table(view, subtitle, count),
        **arranged,
    )  # fmt: skip


def _numbers(
    figure: go.Figure, view: ChartView, sizes: themes.Type, style: themes.NetworkStyle
) -> list[Binding]:
    """The numbers at the nodes, and under them the stored ones."""
    stored = [node for node in NODES if node.stored]
    numbers, count = [*NODES, *stored], len(NODES)
    figure.add_trace(
        go.Scatter(
            x=[node.x for node in numbers],
            y=[node.y for node in NODES] + [0.0] * len(stored),
            text=[""] * len(numbers), mode="text", hoverinfo="skip", cliponaxis=False,
            textposition=["middle center"] * count + ["top center"] * len(stored),
            textfont={"color": style.text, "size": sizes.small},
        )
    )  # fmt: skip
    field = f"{NORM}.unit_batch."
    found: list[Binding] = [
        Text(trace=0, field=field + node.value, index=node.index, at=at, format="number3")
        for at, node in enumerate(NODES)
    ]
    found += [
        Text(trace=0, field=field + node.stored, index=UNIT, at=count + at, format="number3",
             template=view.texts["formula"]["stored"])
        for at, node in enumerate(stored)
    ]  # fmt: skip
    return found


def _strips(figure: go.Figure, theme: themes.Theme, style: themes.NetworkStyle) -> list[Binding]:
    """A stroke for each example in each strip, and a dot for the first."""
    bindings = list[Binding]()
    for place, value in enumerate(STRIPS):
        for first in (False, True):
            trace, inside = len(figure.data), "circle" if first else "line-ns-open"
            figure.add_trace(
                go.Scatter(
                    x=[None], y=[0.0] if first else [0.0] * 64, mode="markers", xaxis="x2",
                    yaxis=f"y{place + 2}", cliponaxis=False, opacity=1 if first else 0.6,
                    marker={"color": style.line, "size": 10 if first else 18, "symbol": inside,
                            "line": {"width": 0 if first else 1.5, "color": style.line}},
                    hovertemplate="%{x:.3~g}<extra></extra>",
                )
            )  # fmt: skip
            dead = {"marker.color": theme.dead, "marker.line.color": theme.dead}
            alive = {"marker.color": style.line, "marker.line.color": style.line}
            bindings += [
                Array(
                    trace=trace, attr="x", field=f"{NORM}.unit_batch.{value}",
                    index=f"{UNIT},0" if first else UNIT, clip=(-REACH, REACH),
                    edges={"low": "triangle-left", "inside": inside, "high": "triangle-right"},
                ),
                State(trace=trace, network=NORM, when={"diverged": dead}, otherwise=alive),
            ]  # fmt: skip
    return bindings


def _layout(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    """Axes, without their places: those of the graph, then one of values for all strips."""
    hidden = {"visible": False, "range": [0, 1], "fixedrange": True}
    texts = view.texts["formula"]
    strips = {
        f"yaxis{place + 2}": themes.axis(
            theme, sizes, anchor="x2", range=[-1, 1], fixedrange=True, showgrid=False,
            tickmode="array", tickvals=[0], ticktext=[texts[f"strip_{value}"]],
            tickfont={"color": theme.ink, "size": sizes.heading},
        )
        for place, value in enumerate(STRIPS)
    }  # fmt: skip
    values = themes.axis(
        theme, sizes, texts["axis"], anchor=f"y{len(STRIPS) + 1}", dtick=1,
        range=[-1.03 * REACH, 1.03 * REACH], zeroline=True, zerolinecolor=theme.muted,
    )  # fmt: skip
    return themes.layout(theme, sizes, xaxis={**hidden, "anchor": "y"},
                         yaxis={**hidden, "anchor": "x"}, xaxis2=values, **strips)  # fmt: skip


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, box: tuple[float, float]
) -> tuple[int, dict[str, Any]]:
    """The figure's height, and the places of everything in it; `box`: size of a node."""
    larger = LARGER if view.large else 1.0
    box = (larger * box[0], larger * box[1])
    foot, top = round(3.2 * sizes.base), 4
    graph = Block(top, round(GRAPH * larger), round(1.0 * sizes.base))
    strip = Block(0, round(STRIP * larger), BETWEEN)
    height, rows = pile([graph, strip, strip, Block(0, strip.plot, foot)], top, foot)
    patch: dict[str, Any] = {
        "margin.l": round(2.2 * sizes.heading), "margin.r": sizes.base, "margin.t": top,
        "margin.b": foot, "xaxis.domain": [0, 1], "xaxis2.domain": [0, 1],
        **{f"yaxis{'' if place == 0 else place + 1}.domain": list(row)
           for place, row in enumerate(rows)},
        "shapes": [_box(node, theme, box) for node in NODES],
        "annotations": [
            *(_arrow(source, target, theme, box) for source, target in ARROWS),
            *(_name(node, view, theme, sizes, box) for node in NODES),
            _whole(view, theme, sizes),
        ],
    }  # fmt: skip
    return height, patch


def _box(node: Node, theme: themes.Theme, box: tuple[float, float]) -> dict[str, Any]:
    wide, high = (side / 2 for side in box)
    return {
        "type": "rect", "layer": "below", "xref": "x", "yref": "y", "xsizemode": "pixel",
        "ysizemode": "pixel", "xanchor": node.x, "yanchor": node.y, "x0": -wide, "x1": wide,
        "y0": -high, "y1": high, "fillcolor": theme.zone,
        "line": {"color": theme.muted, "width": 1},
    }  # fmt: skip


def _arrow(
    source: str, target: str, theme: themes.Theme, box: tuple[float, float]
) -> dict[str, Any]:
    """From one node to another, from the edge of its box to that of the other's."""
    start, end = (next(node for node in NODES if node.value == name) for name in (source, target))
    level = start.y == end.y
    away = box[0 if level else 1] / 2 + CLEAR
    return {
        "x": end.x, "y": end.y, "ax": start.x, "ay": start.y, "xref": "x", "yref": "y",
        "axref": "x", "ayref": "y", "text": "", "showarrow": True, "arrowhead": 2,
        "arrowsize": 0.9, "arrowwidth": 1.2, "arrowcolor": theme.muted, "standoff": away,
        "startstandoff": away,
    }  # fmt: skip


def _name(
    node: Node, view: ChartView, theme: themes.Theme, sizes: themes.Type, box: tuple[float, float]
) -> dict[str, Any]:
    """What a node is called: above the upper ones, below the lower ones."""
    side = 1 if node.y == UPPER else -1
    return {
        "text": view.texts["formula"][node.value], "showarrow": False, "xref": "x", "yref": "y",
        "x": node.x, "y": node.y, "yshift": side * round(box[1] / 2 + 1),
        "yanchor": "bottom" if side > 0 else "top",
        "font": {"size": sizes.small, "color": theme.ink},
    }  # fmt: skip


def _whole(view: ChartView, theme: themes.Theme, sizes: themes.Type) -> dict[str, Any]:
    """Of what the lower numbers are; of the upper ones the first node's name says it."""
    return {
        "text": view.texts["formula"]["all"], "showarrow": False, "xref": "x", "yref": "y",
        "x": 1.0, "y": 0.0, "xanchor": "right", "yanchor": "bottom",
        "font": {"size": sizes.small, "color": theme.muted},
    }  # fmt: skip


def _table(view: ChartView, caption: str, count: int) -> Table:
    texts, field = view.texts["formula"], f"{NORM}.unit_batch."
    names = [texts["example"].format(number=number) for number in range(1, count + 1)]
    columns = [Column(f"{view.label(NORM)}, {texts[f'strip_{value}']}", field + value, "number3",
                      UNIT) for value in STRIPS]  # fmt: skip
    columns += [Column(texts[value], field + value, "number3", UNIT) for value in TABLED]
    return Table(caption, columns, "vector", names)
