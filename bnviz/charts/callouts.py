"""Shapes and notes at the layers in which networks broke, and tints of saturated layers.

On a page they are elements over the figure (`assets/live/charts/overlays.js`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnviz.charts.binding import Binding, Callout
from bnviz.charts.chart import ChartView
from bnviz.charts.filling import Scene, read_field
from bnviz.charts.nodes import NodeCallout
from bnviz.charts.panels import text_width
from bnviz.charts.placing import Placement
from bnviz.charts.theme import PAPER, Attributes

# Opacity of the tint of the row that broke, and of a row in which more than `FLAT` of the values
# are in the flat zone.
BROKEN_TINT, FLAT_TINT, FLAT = 0.09, 0.036, 0.9
# Size in pixels of the disc with the layer's number, and its distance from the row.
DISC, DISC_GAP = 24, 4
# Smallest width in pixels of a column that has space for words beside the row.
LEAST = 320
# Distance in pixels between a network's name and the words about the network.
BESIDE = 12


def callouts(
    view: ChartView, scene: Scene, bindings: Sequence[Binding], placement: Placement,
    headings: Sequence[Attributes],
) -> tuple[list[Attributes], list[Attributes]]:  # fmt: skip
    """Return the shapes and the annotations of all callouts; `headings` are the figure's own."""
    shapes, notes = list[Attributes](), list[Attributes]()
    for place, binding in enumerate(one for one in bindings if isinstance(one, Callout)):
        row = _broken_row(scene, binding)
        if isinstance(binding, NodeCallout):
            if row is not None:
                shapes.append(_frame(view, binding, row))
                notes.append(_beside(view, scene, binding, row, headings[binding.heading]))
            continue
        shapes += _tints(view, scene, binding, row)
        if row is not None:
            axis = placement.axis_named(binding.x)
            width = 0.0 if axis is None else axis.length
            shapes.append(_disc(view, binding, row, beside=place == 0 or width >= LEAST))
            if binding.first and width >= LEAST:
                notes.append(_first(view, binding, row))
    return shapes, notes


def _broken_row(scene: Scene, binding: Callout) -> int | None:
    """Return the row, from 1, in which the network broke, or None."""
    broke = scene.shown.networks[binding.network].broke
    found = re.fullmatch(r"(?:layer|time) (\d+)", (broke and broke.layer) or "")
    if broke is None or found is None or broke.key not in binding.words:
        return None
    row = int(found[1])
    return row if row <= len(binding.rows) else None


def _colour(view: ChartView, binding: Callout) -> str:
    return view.styles[binding.network].text


def _tints(view: ChartView, scene: Scene, binding: Callout, broken: int | None) -> list[Attributes]:
    flat, shapes = read_field(scene.shown, binding.field), list[Attributes]()
    colour = _colour(view, binding)
    for row in range(1, len(binding.rows) + 1):
        saturated = flat is not None and row <= flat.size and float(flat.flat[row - 1]) > FLAT
        if row != broken and not saturated:
            continue
        at = {"xref": f"{binding.x} domain", "x0": 0, "x1": 1, "yref": binding.y, "layer": "below",
              "y0": row + binding.base}  # fmt: skip
        opacity = BROKEN_TINT if row == broken else FLAT_TINT
        shapes.append({"type": "rect", **at, "y1": row + binding.base + 1, "fillcolor": colour,
                       "opacity": opacity, "line": {"width": 0}})  # fmt: skip
        if row == broken:
            shapes.append({"type": "line", **at, "y1": row + binding.base,
                           "line": {"color": colour, "width": 3}})  # fmt: skip
    return shapes


def _disc(view: ChartView, binding: Callout, row: int, *, beside: bool) -> Attributes:
    """Return the disc left of the row, or inside it where another column's numbers are at left."""
    left = -DISC - DISC_GAP if beside else DISC_GAP / 2
    paper = PAPER[view.dark]
    return {
        "type": "circle", "xref": f"{binding.x} domain", "xanchor": 0, "xsizemode": "pixel",
        "yref": binding.y, "yanchor": row, "ysizemode": "pixel",
        "x0": left, "x1": left + DISC, "y0": -DISC / 2, "y1": DISC / 2,
        "fillcolor": _colour(view, binding), "line": {"color": paper, "width": 3},
        "label": {"text": f"<b>{row}</b>",
                  "font": {"size": view.sizes.small, "color": paper}},
    }  # fmt: skip


def _first(view: ChartView, binding: Callout, row: int) -> Attributes:
    return view.note(
        f"<b>{binding.first}</b>", _colour(view, binding), view.sizes.base,
        xref=f"{binding.x} domain", x=1, xanchor="left", xshift=binding.beside,
        yref=binding.y, y=row, yanchor="middle",
    )  # fmt: skip


def _frame(view: ChartView, binding: NodeCallout, row: int) -> Attributes:
    (left, right), (bottom, top) = binding.spans[row - 1], binding.reach
    return {
        "type": "rect", "xref": binding.x, "x0": left, "x1": right, "yref": binding.y,
        "y0": bottom, "y1": top, "line": {"color": _colour(view, binding), "width": 2.5},
    }  # fmt: skip


def _beside(
    view: ChartView, scene: Scene, binding: NodeCallout, row: int, heading: Attributes
) -> Attributes:
    """Return the words about the layer that broke, on the line of the network's name."""
    broke = scene.shown.networks[binding.network].broke
    assert broke is not None
    words = binding.words[broke.key].format(layer=binding.rows[row - 1]).replace("\n", " ")
    name = re.sub(r"<[^>]*>", "", heading["text"])
    long = text_width(name, heading["font"]["size"], bold=True)
    text = f"<b>{words[:1].upper()}{words[1:]}</b>"
    return {
        **heading, "text": text, "xshift": heading.get("xshift", 0) + long + BESIDE,
        "font": {"size": view.sizes.small, "color": _colour(view, binding)},
    }  # fmt: skip
