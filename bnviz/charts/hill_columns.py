"""Where columns of hills stand, worked out in pixels so that their words fit."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.charts.chart import ChartView
from bnviz.charts.distributions import WIDEST_SHARE
from bnviz.charts.layer_plan import MOST_RIDGES, Form, heading_words, row_height
from bnviz.charts.panels import Domain, narrowest, text_width, widest
from bnviz.charts.scale import zones

# On a phone so many stand side by side.
MOST_ACROSS = 2
# Rows over the last layer, for what is said of a network that has stopped.
HEAD = 0.6
GAP = 14
# Pixels of a row of stacks, which are the whole of their page.
TALL_ROW = 54
# The narrowest stacks in pixels that get the wide form: from there on columns are wide, too.
WIDE_STACKS = 1100


@dataclass(frozen=True)
class HillLayout:
    """Places of the columns, and the pixels there are for words at the narrowest.

    Attributes:
        places: x and y domain of each network's column.
        height: of the whole figure in pixels.
        least: the lowest figure whose rows still hold their words.
        margin: left, right, top and bottom in pixels.
        column, gutter: width of a column, and of the shares beside it, in pixels.
        headings: words over the columns, and their size.
        first: what the lowest layer is called.
        numbered: whether every column has numbers of its own to its left.
        titled: whether there is room for a title below the columns.
    """

    places: tuple[tuple[Domain, Domain], ...]
    height: int
    least: int
    margin: tuple[int, int, int, int]
    column: float
    gutter: float
    headings: tuple[tuple[str, ...], int]
    first: str
    numbered: bool
    titled: bool


def plan(view: ChartView, form: Form, *, stacked: bool) -> HillLayout:
    """The columns of a form of the chart; `stacked`: without names and numbers on the axis."""
    count = len(view.norms)
    across = min(count, MOST_ACROSS) if form == "compact" else count
    left = round(widest([_first(view, form)], view.sizes.base)) + (20 if stacked else 12)
    right = round(0.5 * view.sizes.base)
    least = WIDE_STACKS if stacked and form == "wide" else narrowest(view, form)
    inner = least - left - right
    flat = bool(zones(view.config.activation))
    gutter = round(text_width(WIDEST_SHARE, view.sizes.heading)) + 8 if flat or stacked else 0
    if gutter and form == "wide" and count < 3:
        words = view.texts["hills"]["share"]
        gutter = max(gutter, round(text_width(words, view.sizes.small)) + 4)
        # The word beside the row that broke first.
        gutter += round(text_width(view.texts["hills"]["first"], view.sizes.base, bold=True)) + 8
    # With room every column has its own numbers of layers.
    own = left if form == "wide" and count < 3 else 0
    column = (inner - (GAP + own) * (across - 1)) / across - gutter
    pitch = column + gutter + GAP + own
    words, size = heading_words(view, column + gutter - 6)
    lines = max(word.count("<br>") for word in words)
    name = 0 if stacked else round(1.5 * view.sizes.heading + lines * 1.25 * size)
    above = name + round(1.7 * view.sizes.small if flat else 0.4 * view.sizes.base)
    titled = not stacked or form == "wide"
    foot = round((0.5 if not titled else 1.6 if stacked else 3.6) * view.sizes.base)
    down = -(-count // across)
    row = TALL_ROW if stacked and view.layers <= MOST_RIDGES else row_height(view)
    plot = row * (view.layers + HEAD - 0.42)
    whole = down * plot + (down - 1) * (above + foot)
    places = []
    for number in range(count):
        x, y = number % across * pitch, number // across * (plot + above + foot)
        places.append(((x / inner, min((x + column) / inner, 1.0)), _down(y, plot, whole)))
    height, around = round(whole) + above + foot, above + foot
    low = down == 1 and view.layers <= MOST_RIDGES
    lowest = around + round(1.5 * view.sizes.base * (view.layers + 1)) if low else height
    return HillLayout(tuple(places), height, lowest, (left, right, above, foot), column,
                gutter, (words, size), _first(view, form), own > 0, titled)  # fmt: skip


def _first(view: ChartView, form: Form) -> str:
    """What the lowest layer is called: on a phone by its number."""
    return "1" if form == "compact" else view.layer_names()[0]


def _down(start: float, size: float, whole: float) -> Domain:
    """A y domain, by pixels from the top."""
    return max(1 - (start + size) / whole, 0.0), min(1 - start / whole, 1.0)
