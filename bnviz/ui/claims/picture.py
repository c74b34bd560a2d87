"""Small picture of a row: the expected interval, one dot per seed, and the median."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bnviz.claims.amounts import amount, bare, expected, tick
from bnviz.claims.results import Row
from bnviz.ui.html import Markup, tag
from bnviz.words.joining import in_list, sentences
from bnviz.words.texts import texts

WIDTH, HEIGHT = 220, 44
FLOOR = 28  # vertical position of the axis, in pixels from the top
EDGE = 7  # space for a dot or an arrow at either end of the axis, in pixels
MARGIN = 0.15  # extra length at each end of the axis, as a share of the range of values
SPANS_DECADES = 100.0
# Vertical offsets of the seeds' dots in pixels, so that five equal values show as five dots.
LIFT = (-4, 0, 4, -2, 2)
LABEL = 72  # width of a number with its unit under the axis, in pixels


@dataclass(frozen=True)
class PictureAxis:
    """Horizontal axis from `low` to `high`, linear or logarithmic."""

    low: float
    high: float
    log: bool

    def at(self, value: float) -> float:
        """Horizontal position of a value in pixels, clamped to the axis."""
        return EDGE + (WIDTH - 2 * EDGE) * self.share(value)

    def share(self, value: float) -> float:
        """Position of a value along the axis, clamped to the interval from 0 to 1."""
        return min(1.0, max(0.0, self._share(value)))

    def holds(self, value: float) -> bool:
        return math.isfinite(value) and -1e-9 <= self._share(value) <= 1 + 1e-9

    def _share(self, value: float) -> float:
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        if value <= 0:
            return -math.inf
        return math.log(value / self.low) / math.log(self.high / self.low)


def axis_of(numbers: Iterable[float]) -> PictureAxis:
    """Axis that contains all finite numbers; logarithmic if they span at least two decades.

    Zero has no position on a logarithmic axis, so it is drawn at the left end.
    """
    finite = sorted({value for value in numbers if math.isfinite(value)}) or [0.0]
    sizes = [value for value in finite if value != 0]
    if finite[0] >= 0 and len(sizes) > 1 and sizes[-1] / sizes[0] >= SPANS_DECADES:
        factor = (sizes[-1] / sizes[0]) ** MARGIN
        return PictureAxis(sizes[0] / factor, sizes[-1] * factor, log=True)
    margin = MARGIN * (finite[-1] - finite[0] or abs(finite[0]) or 1.0)
    return PictureAxis(finite[0] - margin, finite[-1] + margin, log=False)


def bounds_of(row: Row) -> list[float]:
    return [each for each in (row.expected.low, row.expected.high) if math.isfinite(each)]


def picture(row: Row) -> Markup:
    fresh = row.again.values if row.again else ()
    bounds = bounds_of(row)
    axis = axis_of([*row.values, *fresh, *bounds])
    return tag(
        "svg", *_band(row, axis), _line("axis", 0, WIDTH, FLOOR, FLOOR),
        *_dots(axis, row.values, 10 if fresh else 16, "seed"), *_dots(axis, fresh, 21, "fresh"),
        None if math.isnan(row.median) else _upright("median", axis.at(row.median), 1, FLOOR),
        _scale(list(map(axis.at, bounds))) if axis.log else None,
        class_="claims-picture", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img",
        aria_label=in_words(row),
    )  # fmt: skip


def in_words(row: Row) -> str:
    """Text alternative of a row's picture."""
    words = texts(name="claims")["picture"]
    seeds = words["values"].format(
        count=len(row.values), values=_listed(row, row.values), median=amount(row.median, row.unit)
    )
    parts = [seeds, words["expected"].format(expected=expected(row))]
    parts += [words["again"].format(values=_listed(row, row.again.values))] if row.again else []
    return sentences(parts)


def _band(row: Row, axis: PictureAxis) -> list[Markup]:
    """Band of the expected interval; an open side extends to the end of the axis."""
    bounds = bounds_of(row)
    places = list(map(axis.at, bounds))
    left = 0.0 if math.isinf(row.expected.low) else places[0]
    right = WIDTH if math.isinf(row.expected.high) else places[-1]
    width = _place(max(1.5, right - left))
    parts = [tag("rect", x=_place(left), y=0, width=width, height=FLOOR, class_="band")]
    for value, x, label in zip(bounds, places, _apart(places), strict=True):
        parts += [
            _upright("bound", x, 0, FLOOR + 3),
            tag("text", tick(value, row.unit), x=_place(label), y=HEIGHT - 3, text_anchor="middle",
                class_="value"),
        ]  # fmt: skip
    return parts


def _apart(places: Sequence[float]) -> list[float]:
    """Label positions of the bounds: inside the picture and without overlap."""
    inside = [min(max(x, LABEL / 2), WIDTH - LABEL / 2) for x in places]
    if len(inside) < 2 or inside[1] - inside[0] >= LABEL:
        return inside
    middle = min(max(sum(inside) / 2, LABEL), WIDTH - LABEL)
    return [middle - LABEL / 2, middle + LABEL / 2]


def _dots(axis: PictureAxis, values: Sequence[float], middle: int, kind: str) -> list[Markup]:
    """One dot per seed, or an arrow for a value beyond the axis; NaN is not drawn."""
    drawn = []
    for place, value in enumerate(values):
        if math.isnan(value):
            continue
        x, y = axis.at(value), middle + LIFT[place % len(LIFT)]
        if axis.holds(value):
            drawn.append(tag("circle", cx=_place(x), cy=y, r=3, class_=kind))
        else:
            end, inner = (0, 6) if x < WIDTH / 2 else (WIDTH, WIDTH - 6)
            drawn.append(tag("path", d=f"M{end} {y}L{inner} {y - 4}V{y + 4}Z", class_=kind))
    return drawn


def _upright(kind: str, x: float, top: float, bottom: float) -> Markup:
    return _line(kind, x, x, top, bottom)


def _line(kind: str, x1: float, x2: float, y1: float, y2: float) -> Markup:
    return tag("line", x1=_place(x1), x2=_place(x2), y1=y1, y2=y2, class_=kind)


def _scale(taken: Sequence[float]) -> Markup:
    """Label of a logarithmic axis, at the end at which no bound has a label."""
    right = all(x < WIDTH - 2 * LABEL for x in taken)
    return tag(
        "text", texts(name="claims")["picture"]["log"], x=WIDTH if right else 0, y=HEIGHT - 3,
        text_anchor="end" if right else "start", class_="scale",
    )  # fmt: skip


def _place(x: float) -> str:
    return f"{x:.1f}"


def _listed(row: Row, values: Sequence[float]) -> str:
    """List values in the row's unit, which is written only after the last value."""
    *others, last = values
    return in_list([*(bare(value, row.unit) for value in others), amount(last, row.unit)])
