"""Layout of the layer chart, computed in pixels so that its texts fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bnviz.charts.chart import ChartView
from bnviz.charts.panels import Domain, narrowest, text_width, widest
from bnviz.charts.scale import zones

# Maximum number of layers that are drawn as outlines. With more layers, the rows are too low for
# outlines, and heat strips are drawn.
MOST_RIDGES = 10
# Maximum height of all rows together, in pixels. It applies if there are many time steps.
TALLEST = 720
# Smallest width of a column of distributions, in multiples of the type size.
LEAST_COLUMN = 4
# Smallest readable type size in pixels. Shares of zeros that would need smaller type are only in
# the table.
LEAST_TYPE = 8
# Number of characters of the widest share that is printed, "99.7 %".
SHARE_LETTERS = 6

Form = Literal["wide", "medium", "compact"]
# Forms in the order of the parameters of `arrange`.
FORMS: tuple[Form, ...] = ("wide", "compact", "medium")


@dataclass(frozen=True)
class LayerLayout:
    """Domains of the columns, and space in pixels for texts, in the narrowest figure of each form.

    Attributes:
        distributions: x domain of each network's distributions.
        rows, right_rows: y domains of the distributions, and of the gradient and Jacobian columns.
        margin: left, right, top and bottom.
        column, pitch: width of a column of distributions, and distance to the next column.
    """

    distributions: tuple[Domain, ...]
    gradient: Domain
    jacobian: Domain
    rows: Domain
    right_rows: Domain
    height: int
    margin: tuple[int, int, int, int]
    column: float
    pitch: float
    right_width: float
    right_pitch: float
    headings: tuple[str, ...]
    heading_size: int
    first_tick: str

    @property
    def stacked(self) -> bool:
        """Return whether the gradient and Jacobian columns are below the distributions."""
        return self.rows != self.right_rows

    def least(self, view: ChartView) -> int:
        """Return the smallest height at which texts fit in the rows."""
        if self.stacked or view.layers > MOST_RIDGES:
            return self.height
        _, _, top, bottom = self.margin
        return top + bottom + round(1.5 * view.sizes.base * (view.layers + 1))


def share_type(view: ChartView) -> int:
    if view.large_type:
        return view.sizes.small
    if view.layers > 24:
        return min(view.sizes.small, 9)
    return view.sizes.small - 1 if len(view.norms) > 2 else view.sizes.small


def gutter(view: ChartView) -> int:
    """Return the width of the space for shares right of a column, or 0 if they are inside it."""
    if not view.large_type:
        return 0
    return round(text_width("0" * SHARE_LETTERS, share_type(view))) + 6


def rows_hold_words(view: ChartView) -> bool:
    """Return whether numbers fit in the rows, which become taller than planned on a projector."""
    return not view.large_type or row_height(view) >= 0.8 * view.sizes.small


def columns_hold_words(view: ChartView) -> bool:
    """Return whether numbers of two networks fit inside the columns."""
    return not view.large_type or (view.layers <= MOST_RIDGES and len(view.norms) < 3)


def zero_type(view: ChartView) -> int:
    """Return the type size of the shares of zeros, or 0 if the rows are too low for them."""
    if view.layers > MOST_RIDGES:
        found = min(round(row_height(view) / len(view.norms)), view.sizes.small - 1)
        return 0 if found < view.large_type else found
    if view.large_type:
        return view.sizes.small
    return round(view.sizes.small * (0.9 if len(view.norms) < 3 else 0.75))


def zone_line(view: ChartView) -> int:
    """Return the height of the line with the names of the zones, or 0 without such a line."""
    if view.layers > MOST_RIDGES or not zones(view.config.activation):
        return 0
    return round(1.3 * view.sizes.small)


def plan(view: ChartView, form: Form) -> LayerLayout:
    """Plan all columns side by side, or in two rows if they would be too narrow."""
    wide = _columns(view, form, stacked=False)
    if form != "compact" and wide.column >= LEAST_COLUMN * view.sizes.base:
        return wide
    return _columns(view, form, stacked=True)


def _columns(view: ChartView, form: Form, *, stacked: bool) -> LayerLayout:
    count, gutter_width = len(view.norms), gutter(view)
    name = view.layer_names()[0]
    first = "1" if form == "compact" and count > 2 else name
    out = view.text("out_tick")
    left = round(widest((first, out), view.sizes.base)) + 12
    right = max(round(text_width("100 %", view.sizes.small)) + 8, gutter_width)
    inner = narrowest(view, form) - left - right
    gap = max(gutter_width + 4, 0.02 * inner)
    if stacked:
        between = 0.09 * inner
        right_width = (inner - between) / 2
        room = float(inner)
    else:
        right_width, between = max(0.155 * inner, 84.0), max(0.03 * inner, 1.6 * view.sizes.base)
        room = inner - 2.0 * right_width - between - max(0.03 * inner, gutter_width + 12)
    column = (room - gap * (count - 1)) / count
    headings, size = heading_words(view, column + gap - 6)
    lines = max(word.count("<br>") for word in headings)
    top = round(2.2 * view.sizes.heading + lines * 1.25 * size) + zone_line(view)
    bottom = round(3.6 * view.sizes.base)
    start = 0.0 if stacked else inner - 2 * right_width - between
    height, rows, right_rows = _heights(view, top, bottom, stacked=stacked)
    return LayerLayout(
        tuple(_part(i * (column + gap), column, inner) for i in range(count)),
        _part(start, right_width, inner), _part(inner - right_width, right_width, inner),
        rows, right_rows, height, (left, right, top, bottom), column, column + gap, right_width,
        right_width + between, headings, size, first,
    )  # fmt: skip


def _part(start: float, width: float, inner: float) -> Domain:
    return max(start / inner, 0.0), min((start + width) / inner, 1.0)


def _heights(
    view: ChartView, top: int, bottom: int, *, stacked: bool
) -> tuple[int, Domain, Domain]:
    """Return the height of the figure, and the y domains of the two groups of columns."""
    rows, row = view.layers + 1, row_height(view)
    if not stacked:
        return top + bottom + round(row * rows), (0, 1), (0, 1)
    upper = row * (1.0 if view.layers > MOST_RIDGES else 0.85) * rows
    # Below the distributions, each network has its own line in every row.
    count = len(view.norms)
    each = zero_type(view) + 1 if count > 2 else 1.3 * view.sizes.small
    line = max(1.7 * view.sizes.base, count * each)
    lower = upper if view.layers > MOST_RIDGES else line * rows
    between = bottom + round(2.2 * view.sizes.heading)
    plot = upper + lower + between
    return top + bottom + round(plot), (1 - upper / plot, 1.0), (0.0, lower / plot)


def row_height(view: ChartView) -> float:
    rows = view.layers + 1
    if view.layers > MOST_RIDGES:
        return max((420 if view.large_type else 340) / rows, min(11.0, TALLEST / rows))
    return max(36.0, min(64.0, 300 / rows)) * (1.25 if view.large_type else 1)


def heading_words(view: ChartView, room: float) -> tuple[tuple[str, ...], int]:
    """Return the longest names of the networks that fit, and their type size."""
    full = tuple(view.label(norm) for norm in view.norms)
    short = tuple(view.short_label(norm) for norm in view.norms)
    broken = tuple(word.replace(" ", "<br>") for word in short)
    sizes = view.sizes
    tries = [(full, sizes.heading), (full, sizes.base), (short, sizes.base),
             (short, sizes.small), (broken, sizes.base), (broken, sizes.small)]  # fmt: skip
    for words, size in tries:
        if widest("<br>".join(words).split("<br>"), size, bold=True) <= room:
            return words, size
    return broken, max(view.sizes.small - 2, view.large_type)
