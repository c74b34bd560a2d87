"""Layout of the network chart, computed in pixels so that its texts fit."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.charts.chart import ChartView
from bnviz.charts.layer_plan import MOST_RIDGES, Form
from bnviz.charts.panels import Block, Domain, narrowest, pile, text_width
from bnviz.charts.scale import REACH, asinh_ticks, layer_ticks
from bnviz.charts.theme import Attributes
from bnviz.networks.skips import block_count

# Half the width of a node, half the width of the output node, which holds text, and distance of the
# output from the last layer. Neighbouring layers are 1 apart.
HALF, HALF_OUTPUT, OUTPUT = 0.33, 0.48, 1.15
# Minimum number of nodes for which horizontal space is reserved. In networks with fewer layers,
# nodes would otherwise be drawn wider.
LEAST_NODES = 5
# Height in pixels of a node (at most `LOW` on a phone) and of a heat strip, by number of networks.
NODE, LOW = {1: 116, 2: 92, 3: 76, 4: 64}, 60
STRIP = {1: 130, 2: 104, 3: 84, 4: 72}
# Height in pixels of the stream below heat strips, and of the gap between stream and strips.
STREAM, BETWEEN = 40, 4
# Height in pixels of a bracket over a skip connection.
BRACKET = 8
# Text of the widest factor that is printed. Its width shows whether factors fit above links.
FACTOR = "×0.026"
NUMBERED = (-100.0, 0.0, 100.0)


@dataclass(frozen=True)
class NetworkLayout:
    """Positions of the networks, and space for texts, in the narrowest figure of each form.

    Attributes:
        rows: y domain of each network's nodes.
        beside: y domain of the factors above every second link, or of the stream below heat strips.
        margin: left, right, top and bottom.
        head, leads: pixels from the top of the nodes to the name of the network, and to the
            brackets above skip connections (0 if there are no skip connections).
    """

    rows: tuple[Domain, ...]
    beside: tuple[Domain, ...]
    height: int
    margin: tuple[int, int, int, int]
    head: int
    leads: int
    inner: float
    ticks: Attributes


def is_heat(view: ChartView) -> bool:
    """Return whether layers are heat strips because nodes would be too narrow."""
    return view.layers > MOST_RIDGES


def reach(view: ChartView) -> tuple[float, float]:
    """Return the two ends of the axis of layers."""
    if is_heat(view):
        return 0.4, view.layers + 1.1
    return 1 - HALF - 0.03, max(view.layers, LEAST_NODES) + OUTPUT + HALF_OUTPUT + 0.03


def plan(view: ChartView, form: Form) -> NetworkLayout:
    """Plan the positions of the networks in a form, the first network on top."""
    count, heat, (low, high) = len(view.norms), is_heat(view), reach(view)
    number = text_width("−100", view.sizes.base)
    out = text_width(view.text("out_tick"), view.sizes.base)
    left, right = (round(number) + 10, round(out / 2) + 6) if heat else (4, 6)
    inner = narrowest(view, form) - left - right
    pitch = inner / (high - low)
    ticks, lines = _ticks(view, pitch)
    line = view.sizes.small + 4
    apart = 0 if heat else line if text_width(FACTOR, view.sizes.small) + 4 > pitch else 0
    words = 2 if heat else line + apart + 2
    leads = words + 4 if block_count(view.config.depth, view.config.skip) else 0
    head = leads + BRACKET if leads else words
    above = head + round(1.35 * view.sizes.heading)
    base, small = view.sizes.base, view.sizes.small
    foot = round(lines * 1.3 * base + 2.1 * small + 1.9 * small) + 10
    node = (STRIP if heat else NODE)[min(count, 4)]
    node = round(node * (1.25 if view.large_type else 1))
    if form == "compact" and not heat:
        node = min(node, LOW)
    plot = node + (STREAM + BETWEEN if heat else 0)
    last = count - 1
    blocks = [Block(above + 6 * (place > 0), plot, foot if place == last else 0)
              for place in range(count)]  # fmt: skip
    height, domains = pile(blocks, 2, foot)
    whole = height - 2 - foot
    rows = [(max(top - node / whole, 0.0), top) for _, top in domains]
    if heat:
        beside = [(start, start + STREAM / whole) for start, _ in domains]
    else:
        beside = [(start, min(end + apart / whole, 1.0)) for start, end in rows]
    return NetworkLayout(
        tuple(rows), tuple(beside), height, (left, right, 2, foot), head, leads, inner, ticks
    )


def _ticks(view: ChartView, pitch: float) -> tuple[Attributes, int]:
    """Return the ticks (layer names, and numbers if they fit) and their number of text lines."""
    names, out = view.layer_names(), view.text("out_tick")
    short = text_width(names[0], view.sizes.base) + 6 > pitch
    if is_heat(view):
        first = "1" if short else names[0]
        return layer_ticks(view.layers, first=first, output=out, row=pitch,
                           size=text_width(out, view.sizes.base) + 4), 1  # fmt: skip
    shown = [str(number + 1) for number in range(len(names))] if short else names
    places, words = [float(row) for row in range(1, len(names) + 1)], shown
    marks = asinh_ticks(NUMBERED)
    at = [HALF * value / REACH for value in marks["tickvals"]]
    room = (at[2] - at[1]) * pitch
    number, zero_width = (text_width(word, view.sizes.base) for word in ("−100", "0"))
    between = (1 - 2 * at[2]) * pitch
    fits = number / 2 + zero_width / 2 + 4 <= room and number + 6 <= between
    if fits:
        low, zero, high = marks["ticktext"]
        places = [row + shift for row in places for shift in at]
        words = [word for name in shown for word in (low, f"{zero}<br>{name}", high)]
        out = f"<br>{out}"
    return {"tickmode": "array", "tickvals": [*places, view.layers + OUTPUT],
            "ticktext": [*words, out]}, 2 if fits else 1  # fmt: skip
