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
from bnviz.charts.filling import Filling, mark_lines
from bnviz.charts.marks import Mark
from bnviz.charts.panels import axis_key, text_width
from bnviz.charts.theme import Attributes

# Free space beyond the data, as a share of their range, and at the end of an axis that starts at 0.
ROOM, ROOM_AHEAD = 0.06, 0.1
# Marks that are less than this many pixels apart share one label.
NEAR = 14
# Number of rows for the labels of marks, distance in pixels between two labels, and between a label
# and its line.
ROWS, BETWEEN, ASIDE = 5, 5, 3
NO_BREAK_SPACE = "\u00a0"

# Left, right, top and bottom in pixels from the upper left corner of a panel.
Box = tuple[float, float, float, float]


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
        traces: Traces of the figure's template.
    """

    def __init__(
        self, layout: Attributes, traces: Sequence[Mapping[str, Any]], filling: Filling
    ) -> None:
        self.layout, self._traces, self._filling = layout, traces, filling

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
            found = _fitting(bounds[_first(name, axis)], axis)
            if found is not None:
                axis["range"] = found
                axis["autorange"] = False

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
        size = self._size(binding.trace)
        right = self.layout["width"] - across.start

        def fits(text: str, x: float) -> bool:
            return across.pixel(x) + text_width(text, size) <= right

        ends = [self._filling.end(label, binding, fits) for label in binding.of]
        y = [each[1] for each in ends]
        placed = [(place, down.pixel(value)) for place, value in enumerate(y) if value is not None]
        placed = [each for each in placed if 0 <= each[1] <= down.length]
        moved = separated([at for _, at in placed], binding.gap, 1, down.length - 1)
        for (place, at), new in zip(placed, moved, strict=True):
            if abs(new - at) > 0.01:
                y[place] = down.value(new)
        return {"x": [each[0] for each in ends], "y": y, "text": [each[2] for each in ends]}

    def _size(self, trace: int) -> float:
        return float(self._traces[trace].get("textfont", {}).get("size", 12))

    def _place_marks(self, bindings: Sequence[kinds.Marks]) -> None:
        """Place the marks of one panel: first breaks, then changes from the newest on."""
        across, down = self.axis(bindings[0].trace, "x"), self.axis(bindings[0].trace, "y")
        if across is None or down is None:
            return
        panel = Panel(across, down, self._size(bindings[0].trace), self.layout["width"])

        def near(a: int, b: int) -> bool:
            return across.pixel(b) - across.pixel(a) < NEAR

        marks = [(binding, mark) for binding in bindings
                 for mark in self._filling.scene.marks(binding, near)]  # fmt: skip
        lines = [across.pixel(mark.step) for _, mark in marks]
        taken = list(self._taken(panel))
        ordered = sorted(range(len(marks)),
                         key=lambda at: (marks[at][0].of == "changes", -marks[at][1].step))
        found: dict[int, Label] = {}
        for at in ordered:
            binding, mark = marks[at]
            others = [line for line in lines if line != lines[at]]
            found[at] = panel.free_place(mark, binding, taken, others)
            if found[at].box:
                taken.append(found[at].box)
        for binding in bindings:
            own = [(marks[at][1], found[at]) for at in range(len(marks)) if marks[at][0] is binding]
            drawn = mark_lines([(Mark(mark.step, label.text), label.top) for mark, label in own])
            if own:
                drawn["textposition"] = [f"top {label.side}" for _, label in own for _ in range(3)]
            self._filling.filled.setdefault(binding.trace, {}).update(drawn)

    def _taken(self, panel: Panel) -> Iterator[Box]:
        """Yield the boxes of headings, and of the labels at the ends of lines."""
        margin, top = self.layout["margin"], panel.down.start
        inner = self.layout["height"] - margin["t"] - margin["b"]
        wide = self.layout["width"] - margin["l"] - margin["r"]
        for note in self.layout.get("annotations", ()):
            if note.get("text") and note.get("xref") == note.get("yref") == "paper":
                size = note["font"]["size"]
                left = margin["l"] + note["x"] * wide - panel.across.start
                foot = margin["t"] + (1 - note["y"]) * inner - note.get("yshift", 0) - top
                words = re.sub(r"<[^>]*>", "", note["text"])
                right = left + text_width(words, size, bold=True)
                yield left, right, foot - 1.3 * size, foot


class Label(NamedTuple):
    """Label of a mark: its text, the end of its line, its side, and its box, if it has a place."""

    text: str
    top: float
    side: str
    box: Box | tuple[()] = ()


@dataclass(frozen=True)
class Panel:
    """Panel with marks; `size` is the type size of their labels."""

    across: Axis
    down: Axis
    size: float
    width: float

    def free_place(
        self, mark: Mark, binding: kinds.Marks, taken: Sequence[Box | tuple[()]],
        lines: Sequence[float],
    ) -> Label:  # fmt: skip
        """Return the first place that is free of other labels, or an empty label.

        A place that is crossed by the line of another mark is used only if there is no other.
        """
        own_side, other = ("left", "right") if binding.of == "changes" else ("right", "left")
        nothing = Label("", binding.top, own_side)
        at = self.across.pixel(mark.step)
        if not mark.label or not 0 <= at <= self.across.length:
            return nothing
        crossed = None
        for top, below in self._rows(binding.top):
            for side in (own_side, other):
                box = self._box(mark.label, at, side, below)
                if not self._inside(box) or any(_overlap(box, each) for each in taken if each):
                    continue
                left = side == "left"
                text = mark.label + NO_BREAK_SPACE if left else NO_BREAK_SPACE + mark.label
                place = Label(text, top, side, box)
                if not any(box[0] < line < box[1] for line in lines):
                    return place
                crossed = crossed or place
        return crossed or nothing

    def _rows(self, top: float) -> Iterator[tuple[float, float]]:
        """Yield the ends of a line for each row of labels, and the label's lower edge in pixels."""
        line, own = self.size + 2, (1 - top) * self.down.length
        first = round(own / line)
        yield (top, own) if own >= first * line else (1 - first * line / self.down.length, first * line)
        for row in range(ROWS):
            if row != first:
                yield 1 - row * line / self.down.length, row * line

    def _box(self, text: str, at: float, side: str, below: float) -> Box:
        long = text_width(text, self.size)
        left, right = (at - long - ASIDE, at - ASIDE) if side == "left" else (at + ASIDE, at + long + ASIDE)
        return left, right, below - self.size - 2, below

    def _inside(self, box: Box) -> bool:
        """Return whether a label is within the figure and, beside the axis numbers, the panel."""
        least = 0.0 if box[3] > self.size + 4 else -self.across.start
        return (
            box[0] >= least and box[1] <= self.width - self.across.start
            and box[2] >= -self.down.start - 1
        )  # fmt: skip


def _overlap(box: Box, other: Box) -> bool:
    beside = box[0] >= other[1] + BETWEEN or other[0] >= box[1] + BETWEEN
    return not beside and box[2] < other[3] - 1 and other[2] < box[3] - 1


def _first(name: str, axis: Attributes) -> str:
    """Return the axis that this axis matches, or the axis itself."""
    return axis_key(axis["matches"]) if axis.get("matches") else name


def _fitting(places: Sequence[float], axis: Attributes) -> list[float] | None:
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
