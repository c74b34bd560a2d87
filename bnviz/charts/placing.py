"""Axis ranges and places of labels in a figure of fixed size.

The browser does the same for its live figures: `assets/live/charts/axis_ranges.js`,
`assets/live/lib/separate_labels.js` and the second half of `assets/live/charts/marks.js`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bnviz.charts import binding as kinds
from bnviz.charts.binding import Binding
from bnviz.charts.filling import Filling, label_ends, mark_lines
from bnviz.charts.marks import Mark
from bnviz.charts.panels import axis_key, text_width
from bnviz.charts.theme import Attributes

# Free space beyond the data, as a share of their range, and at the end of an axis that starts at 0.
ROOM, ROOM_AHEAD = 0.06, 0.1
# Marks that are less than this many pixels apart share one label.
NEAR = 14
# Number of rows above the panel for the labels of marks; distance in pixels between two labels, and
# between a label and its line.
ROWS, BETWEEN, ASIDE = 2, 5, 3
NO_BREAK_SPACE = "\u00a0"


@dataclass(frozen=True)
class Axis:
    """Axis of a figure, in pixels from its left or upper edge."""

    start: float
    length: float
    low: float
    high: float
    log: bool
    upright: bool

    def pixel(self, value: float) -> float:
        """Return the distance of a value from the left or upper end of the axis."""
        share = (self._place(value) - self.low) / (self.high - self.low)
        return self.length * (1 - share if self.upright else share)

    def value(self, pixel: float) -> float:
        share = 1 - pixel / self.length if self.upright else pixel / self.length
        found = self.low + share * (self.high - self.low)
        return 10.0**found if self.log else found

    def _place(self, value: float) -> float:
        return math.log10(value) if self.log else value


class Placement:
    """Geometry of a figure, and the labels that depend on it.

    Args:
        layout: Layout with width, height and margins; `set_ranges` adds the ranges.
        head: Height of the title in pixels.
        traces: Traces of the figure's template.
    """

    def __init__(
        self, layout: Attributes, head: float, traces: Sequence[Mapping[str, Any]],
        filling: Filling,
    ) -> None:  # fmt: skip
        self.layout, self._head = layout, head
        self._traces, self._filling = traces, filling

    def set_ranges(self, time_axes: Iterable[str]) -> None:
        """Give each automatic axis a range that fits its data; time axes extend to the end."""
        managed = {
            name: axis for name, axis in self._axes()
            if axis.get("autorange") is True and axis.get("type") != "category"
        }  # fmt: skip
        bounds: dict[str, list[float]] = {}
        for name, axis in managed.items():
            found = list(self._places(name, axis))
            if found and name in time_axes:
                found.append(self._filling.scene.newest.step)
            bounds.setdefault(_first(name, axis), []).extend(found)
        for name, axis in managed.items():
            fitting = fitting_range(bounds[_first(name, axis)], axis)
            if fitting is not None:
                axis |= {"range": fitting, "autorange": False}

    def _axes(self) -> Iterator[tuple[str, Attributes]]:
        return ((name, axis) for name, axis in self.layout.items()
                if re.fullmatch(r"[xy]axis\d*", name))  # fmt: skip

    def _places(self, name: str, axis: Attributes) -> Iterator[float]:
        """Yield the finite coordinates on an axis, as logarithms on a logarithmic axis."""
        letter = name[0]
        for number, trace in enumerate(self._traces):
            on_it = axis_key(trace.get(f"{letter}axis", letter)) == name
            if not on_it or self._filling.now(number, "mode") == "text":
                continue
            for value in self._filling.now(number, letter) or ():
                if value is not None and (axis.get("type") != "log" or value > 0):
                    yield math.log10(value) if axis.get("type") == "log" else float(value)

    def axis(self, trace: int, letter: str) -> Axis | None:
        """Return an axis of a trace, or None as long as it has no range."""
        return self.axis_named(self._traces[trace].get(f"{letter}axis", letter))

    def axis_named(self, name: str) -> Axis | None:
        """Return the axis "x2", or None as long as it has no range."""
        axis = self.layout[axis_key(name)]
        if axis.get("range") is None:
            return None
        upright, margin = name[0] == "y", self.layout["margin"]
        low, high = axis.get("domain", (0, 1))
        before, after = (margin["t"], margin["b"]) if upright else (margin["l"], margin["r"])
        inner = self.layout["height" if upright else "width"] - before - after
        return Axis(
            start=before + inner * (1 - high if upright else low), length=inner * (high - low),
            low=float(axis["range"][0]), high=float(axis["range"][1]),
            log=axis.get("type") == "log", upright=upright,
        )  # fmt: skip

    def place_labels(self, bindings: Sequence[Binding]) -> None:
        """Move the labels of lines apart, then find free places for the labels of marks."""
        for binding in bindings:
            if isinstance(binding, kinds.Labels):
                self._filling.filled[binding.trace].update(self._labels(binding))
        marks = [binding for binding in bindings if isinstance(binding, kinds.Marks)]
        panels = dict.fromkeys(self._traces[binding.trace]["yaxis"] for binding in marks)
        for panel in panels:
            self._place_marks([one for one in marks if self._traces[one.trace]["yaxis"] == panel])

    def _labels(self, binding: kinds.Labels) -> Attributes:
        across, down = self.axis(binding.trace, "x"), self.axis(binding.trace, "y")
        if across is None or down is None:
            return {}
        size, right = self._size(binding.trace), self.layout["width"] - across.start

        def fits(text: str, x: float) -> bool:
            return across.pixel(x) + text_width(text, size) <= right

        ends = [self._filling.end(label, binding, fits) for label in binding.of]
        inside = {
            place: down.pixel(y) for place, (_, y, _) in enumerate(ends)
            if y is not None and 0 <= down.pixel(y) <= down.length
        }  # fmt: skip
        moved = separated(list(inside.values()), binding.gap, 1, down.length - 1)
        for (place, before), after in zip(inside.items(), moved, strict=True):
            if abs(after - before) > 0.01:
                x, _, text = ends[place]
                ends[place] = x, down.value(after), text
        return label_ends(ends)

    def _size(self, trace: int) -> float:
        return float(self._traces[trace].get("textfont", {}).get("size", 12))

    def _place_marks(self, bindings: Sequence[kinds.Marks]) -> None:
        """Place the marks of one panel: first breaks, then changes from the newest on."""
        first = bindings[0].trace
        across, down = self.axis(first, "x"), self.axis(first, "y")
        if across is None or down is None:
            return
        panel = Panel(across, down, self._size(first), self.layout["width"])

        def near(a: int, b: int) -> bool:
            return across.pixel(b) - across.pixel(a) < NEAR

        marks = [(binding, mark) for binding in bindings
                 for mark in self._filling.scene.marks(binding, near)]  # fmt: skip
        steps = {mark.step for _, mark in marks}
        taken = [*self._headings(panel), *self._line_ends(panel)]
        found: dict[tuple[str, int], Place] = {}
        for binding, mark in sorted(marks, key=_in_turn):
            place = panel.free_place(mark, binding, taken, steps - {mark.step})
            found[binding.of, mark.step] = place or Place("", binding.top, panel.side(binding))
            taken += [place.box] if place and place.box else []
        for binding in bindings:
            places = [(mark.step, found[binding.of, mark.step]) for one, mark in marks
                      if one is binding]  # fmt: skip
            filled = mark_lines([(Mark(step, place.text), place.top) for step, place in places])
            if places:
                filled["textposition"] = [f"top {at.side}" for _, at in places for _ in range(3)]
            self._filling.filled.setdefault(binding.trace, {}).update(filled)

    def _headings(self, panel: Panel) -> Iterator[Box]:
        """Yield the boxes of the title and of the headings above panels."""
        yield Box(-math.inf, math.inf, -math.inf, self._head - panel.down.start)
        margin = self.layout["margin"]
        wide = self.layout["width"] - margin["l"] - margin["r"]
        high = self.layout["height"] - margin["t"] - margin["b"]
        for note in self.layout.get("annotations", ()):
            if note["text"] and note.get("xref") == note.get("yref") == "paper":
                size, words = note["font"]["size"], re.sub(r"<[^>]*>", "", note["text"])
                left = margin["l"] + note["x"] * wide - panel.across.start
                foot = margin["t"] + (1 - note["y"]) * high - note.get("yshift", 0)
                foot -= panel.down.start
                right = left + text_width(words, size, bold=True)
                yield Box(left, right, foot - 1.3 * size, foot)

    def _line_ends(self, panel: Panel) -> Iterator[Box]:
        """Yield the boxes of the labels at the ends of the panel's lines."""
        for trace, filled in self._filling.filled.items():
            across, down = self.axis(trace, "x"), self.axis(trace, "y")
            if across != panel.across or down is None or self._traces[trace]["mode"] != "text":
                continue
            for x, y, words in zip(filled["x"], filled["y"], filled["text"], strict=True):
                if x is not None and y is not None and words:
                    left, half = across.pixel(x), (panel.size + 2) / 2
                    middle = down.start - panel.down.start + down.pixel(y)
                    right = left + text_width(words, self._size(trace))
                    yield Box(left, right, middle - half, middle + half)


class Box(NamedTuple):
    """Ends of a label in pixels from the upper left corner of its panel."""

    left: float
    right: float
    top: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        beside = self.left >= other.right + BETWEEN or other.left >= self.right + BETWEEN
        return not beside and self.top < other.bottom - 1 and other.top < self.bottom - 1


class Place(NamedTuple):
    """Text of a mark, the upper end of its line, its side, and its box if it has a text."""

    text: str
    top: float
    side: str
    box: Box | None = None


@dataclass(frozen=True)
class Panel:
    """Panel with marks in a figure of some width; `size` is the type size of their labels."""

    across: Axis
    down: Axis
    size: float
    width: float

    @staticmethod
    def side(binding: kinds.Marks) -> str:
        """Return the usual side of a label: left of a change, right of a break."""
        return "left" if binding.of == "changes" else "right"

    def free_place(
        self, mark: Mark, binding: kinds.Marks, taken: Iterable[Box], others: Iterable[int]
    ) -> Place | None:
        """Return the first place that is free of other labels, or None.

        A place that is crossed by the line of another mark is the last choice.
        """
        at, crossed = self.across.pixel(mark.step), None
        if not mark.label or not 0 <= at <= self.across.length:
            return None
        own, lines = self.side(binding), [self.across.pixel(step) for step in others]
        for top, below in self._rows(binding.top):
            for side in sorted(("left", "right"), key=lambda side: side != own):
                box = self._box(mark.label, at, side, below)
                if not self._inside(box) or any(map(box.overlaps, taken)):
                    continue
                words = (mark.label, NO_BREAK_SPACE)
                place = Place("".join(words if side == "left" else words[::-1]), top, side, box)
                if not any(box.left < line < box.right for line in lines):
                    return place
                crossed = crossed or place
        return crossed

    def _rows(self, top: float) -> Iterator[tuple[float, float]]:
        """Yield the end of the line for each row of labels, and the label's lower edge in pixels.

        The first row is at the usual end of the line, `top`, unless rows would overlap there.
        """
        height, own = self.size + 2, (1 - top) * self.down.length
        first = round(own / height)
        if own >= first * height:
            yield top, own
        for row in range(ROWS):
            if row != first or own < first * height:
                yield 1 - row * height / self.down.length, row * height

    def _box(self, text: str, at: float, side: str, below: float) -> Box:
        long = text_width(text, self.size) + ASIDE
        left, right = (at - long, at - ASIDE) if side == "left" else (at + ASIDE, at + long)
        return Box(left, right, below - self.size - 2, below)

    def _inside(self, box: Box) -> bool:
        """Return whether a label is within the figure, and not over the numbers of an axis."""
        least = 0.0 if box.bottom > self.size + 4 else -self.across.start
        return box.left >= least and box.right <= self.width - self.across.start


def _in_turn(each: tuple[kinds.Marks, Mark]) -> tuple[bool, int]:
    binding, mark = each
    return binding.of == "changes", -mark.step


def _first(name: str, axis: Attributes) -> str:
    """Return the axis that this axis matches, or the axis itself."""
    return axis_key(axis["matches"]) if axis.get("matches") else name


def fitting_range(places: Sequence[float], axis: Attributes) -> list[float] | None:
    """Return the range of an axis for data at these places, or None if it has no range."""
    options = axis.get("autorangeoptions", {})
    include = options.get("include", [])
    shown = [*places, *(include if isinstance(include, list | tuple) else [include])]
    if not places and len(shown) < 2:
        return None
    ahead = axis.get("rangemode") == "tozero"
    shown += [0] if ahead else []
    least, most = min(shown), max(shown)
    span = (most - least) or 1
    low = 0 if ahead and least == 0 else least - ROOM * span
    high = most + (ROOM_AHEAD if ahead else ROOM) * span
    return [max(options.get("minallowed", -math.inf), low),
            min(options.get("maxallowed", math.inf), high)]  # fmt: skip


def separated(
    places: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf
) -> list[float]:
    """Return places at least `gap` apart; those that would overlap are centred on their mean."""
    groups: list[list[int]] = []

    def first(group: Sequence[int]) -> float:
        middle = sum(places[at] for at in group) / len(group)
        rest = gap * (len(group) - 1)
        return max(low, min(middle - rest / 2, high - rest))

    for at in sorted(range(len(places)), key=places.__getitem__):
        groups.append([at])
        while len(groups) > 1 and first(groups[-1]) < first(groups[-2]) + gap * len(groups[-2]):
            last = groups.pop()
            groups[-1] += last
    moved = {at: first(group) + place * gap for group in groups for place, at in enumerate(group)}
    return [moved[at] for at in range(len(places))]
