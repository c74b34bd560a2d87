"""Layout of columns of histograms, computed in pixels so that their texts fit."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.charts.chart import ChartView
from bnviz.charts.distributions import WIDEST_SHARE
from bnviz.charts.layer_plan import MOST_RIDGES, Form, heading_words, row_height
from bnviz.charts.panels import Domain, narrowest, text_width, widest
from bnviz.charts.scale import zones

# Maximum number of columns per row on a phone.
MOST_ACROSS = 2
# Space above the last layer for the text about a stopped network, in rows.
HEAD = 0.6
GAP = 14
# Height of a row in pixels in the stacked chart, which fills its page.
TALL_ROW = 54
# Smallest width in pixels of the stacked chart in its wide form. At this width, the columns are
# wide enough for their texts.
WIDE_STACKS = 1100


@dataclass(frozen=True)
class HillLayout:
    """Positions of the columns, and space for texts, in the narrowest figure of each form.

    Attributes:
        places: x and y domain of each network's column.
        least: smallest height at which texts fit in the rows.
        margin: left, right, top and bottom.
        column, gutter: width of a column, and width of the space for the shares beside it.
        headings: texts above the columns, and their type size.
        numbered: whether every column has its own layer numbers.
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
    """Plan the columns of a form; `stacked` leaves out the names and the numbers on the axis."""
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
        # Add room for the word beside the row that broke first.
        gutter += round(text_width(view.texts["hills"]["first"], view.sizes.base, bold=True)) + 8
    # With enough room, every column has its own layer numbers.
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
    """Return the name of the lowest layer; on a phone, only its number."""
    return "1" if form == "compact" else view.layer_names()[0]


def _down(start: float, size: float, whole: float) -> Domain:
    """Return the y domain of a plot of `size` pixels that begins `start` pixels below the top."""
    return max(1 - (start + size) / whole, 0.0), min(1 - start / whole, 1.0)
