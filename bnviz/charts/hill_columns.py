"""Where columns of hills stand, worked out in pixels so that their words fit."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.charts.chart import ChartView
from bnviz.charts.layer_plan import MOST_RIDGES, Form, heading_words, row_height
from bnviz.charts.panels import Domain, narrowest, text_width, widest
from bnviz.charts.scale import zones
from bnviz.charts.time_axis import marks_room

# On a phone so many stand side by side.
MOST_ACROSS = 2
# Rows over the last layer, for what is said of a network that has stopped.
HEAD = 0.6
GAP = 14
# Pixels of a strip with the loss, and of a row under it: stacks are the whole of their page.
STRIP, TALL_ROW = 56, 54
# The widest of the losses on their axis, and of the shares that are printed.
LARGEST_LOSS = "1000"
WIDEST_SHARE = "100 %"


@dataclass(frozen=True)
class HillLayout:
    """Places of the columns, and the pixels there are for words at the narrowest.

    Attributes:
        places: x and y domain of each network's column.
        strips: y domain of each network's loss; the same for its marks and their words.
        height: of the whole figure in pixels.
        least: the lowest figure whose rows still hold their words.
        margin: left, right, top and bottom in pixels.
        column, gutter: width of a column, and of the shares beside it, in pixels.
        headings: words over the columns, and their size.
        first: what the lowest layer is called.
        numbered: whether every column has numbers of its own to its left.
    """

    places: tuple[tuple[Domain, Domain], ...]
    strips: tuple[tuple[Domain, Domain], ...]
    height: int
    least: int
    margin: tuple[int, int, int, int]
    column: float
    gutter: float
    headings: tuple[tuple[str, ...], int]
    first: str
    numbered: bool


def plan(view: ChartView, form: Form, *, stacked: bool) -> HillLayout:
    """The columns of a form of the chart; `stacked`: with the loss over each."""
    count = len(view.norms)
    across = min(count, MOST_ACROSS) if form == "compact" else count
    numbers = [_first(view, form), LARGEST_LOSS] if stacked else [_first(view, form)]
    left = round(widest(numbers, view.sizes.base)) + 12
    right = round(0.5 * view.sizes.base)
    inner = narrowest(view, form) - left - right
    flat = bool(zones(view.config.activation))
    gutter = round(text_width(WIDEST_SHARE, view.sizes.heading)) + 8 if flat or stacked else 0
    if gutter and form == "wide" and count < 3:
        words = view.texts["hills"]["share"]
        gutter = max(gutter, round(text_width(words, view.sizes.small)) + 4)
    # With room every column has its own numbers of layers.
    own = left if form == "wide" and count < 3 else 0
    column = (inner - (GAP + own) * (across - 1)) / across - gutter
    pitch = column + gutter + GAP + own
    words, size = heading_words(view, column + gutter - 6)
    lines = max(word.count("<br>") for word in words)
    name = 0 if stacked else round(1.5 * view.sizes.heading + lines * 1.25 * size)
    # Under the lowest number of the losses' axis.
    lines_below = 2.3 if stacked else 1.7
    zone = round(lines_below * view.sizes.small if flat else 0.4 * view.sizes.base)
    strip = STRIP + marks_room(view) if stacked else 0
    above = name + strip + zone
    foot = round(3.6 * view.sizes.base)
    down = -(-count // across)
    row = TALL_ROW if stacked and view.layers <= MOST_RIDGES else row_height(view)
    plot = row * (view.layers + HEAD - 0.42)
    top = 4 + name if stacked else above
    # Everything that is within the margins, which are around all of it.
    within = strip + zone if stacked else 0
    whole = down * (plot + within) + (down - 1) * (above - within + foot)
    places, strips = [], list[tuple[Domain, Domain]]()
    for number in range(count):
        x, y = number % across * pitch, number // across * (plot + above + foot)
        across_domain = (x / inner, min((x + column) / inner, 1.0))
        places.append((across_domain, _down(y + within, plot, whole)))
        strips.append((_down(y + marks_room(view), STRIP, whole), _down(y, strip, whole)))
    height, around = round(whole) + top + foot, top + foot + round(within)
    low = down == 1 and view.layers <= MOST_RIDGES
    least = around + round(1.5 * view.sizes.base * (view.layers + 1)) if low else height
    return HillLayout(tuple(places), tuple(strips), height, least, (left, right, top, foot), column,
                gutter, (words, size), _first(view, form), own > 0)  # fmt: skip


def _first(view: ChartView, form: Form) -> str:
    """What the lowest layer is called: on a phone by its number."""
    return "1" if form == "compact" else view.layer_names()[0]


def _down(start: float, size: float, whole: float) -> Domain:
    """A y domain, by pixels from the top."""
    return max(1 - (start + size) / whole, 0.0), min(1 - start / whole, 1.0)
