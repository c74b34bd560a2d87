"""Values of a chart's traces, computed from snapshots by the chart's bindings.

The browser does the same in `assets/live/charts/bindings.js`, frame by frame. A test compares both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from bnviz.charts import binding as kinds
from bnviz.charts.binding import Binding, Clip, Drawn, MeasuredBinding
from bnviz.charts.marks import Mark, break_marks, change_marks
from bnviz.charts.nodes import Links
from bnviz.charts.theme import Attributes
from bnviz.records import Snapshot
from bnviz.words.numbers import write

# Peaks of histograms are rounded up to powers of this number.
PEAK_STEP = 1.05
# Text of an empty label of a mark: a zero-width space.
NOTHING = "\u200b"
OPEN: Clip = (None, None)

Coordinate = float | None
# Attributes by the index of their trace.
Filled = dict[int, Attributes]


@dataclass(frozen=True)
class Scene:
    """Snapshots that a chart draws.

    Attributes:
        snapshots: All snapshots of the run, ascending by step.
        shown: Snapshot that is drawn by bindings of one step.
        selected: Chosen option of each selector, from 0.
    """

    snapshots: Sequence[Snapshot]
    shown: Snapshot
    selected: Mapping[str, int] = field(default_factory=dict)

    @property
    def newest(self) -> Snapshot:
        return self.snapshots[-1]

    def read(self, of: MeasuredBinding | kinds.Label, snapshot: Snapshot) -> np.ndarray | None:
        """Return the part of a field that a binding draws as float64, or None without a value."""
        found = read_field(snapshot, of.field)
        if found is None:
            return None
        found = _part(found, of.index, self.selected)
        over = getattr(of, "over", None)
        if not over:
            return found
        divisor = read_field(snapshot, over)
        with np.errstate(all="ignore"):
            return None if divisor is None else found / divisor.flat[0]

    def column(self, of: kinds.Series | kinds.Label) -> dict[int, float]:
        """Return the values of a line by step, ascending, up to the step at which a network
        stopped.
        """
        norm, probe, *value = of.field.split(".")
        found = {}
        for snapshot in self.snapshots:
            values = self.read(of, snapshot)
            if values is not None and values.size:
                at = snapshot.networks[norm].measured_at if value else {}
                found[at.get(probe, snapshot.step)] = float(values.flat[0])
        record = self.newest.networks.get(norm)
        last = None if record is None else record.stopped
        return {step: found[step] for step in sorted(found) if last is None or step <= last}

    def place(self, of: kinds.Series | kinds.Label) -> Callable[[int], Coordinate]:
        """Return a function from a step to its x: the step, or a field that replaces the step."""
        name = "" if of.across is None else self.across(of.across)
        if not name:
            return float
        norm, scalar = name.split(".")
        values = {each.step: getattr(each.networks[norm], scalar) for each in self.snapshots}
        return values.get

    def across(self, across: kinds.Across) -> str:
        """Return the field that replaces the step, or ""."""
        return across.fields[self.selected[across.by.removeprefix("$")]]

    def marks(
        self, binding: kinds.Marks, near: Callable[[int, int], bool] = lambda a, b: a == b
    ) -> list[Mark]:
        """Return the marks of a binding; `near` says whether two changes share one label."""
        if binding.of == "changes":
            return change_marks(self.newest, binding, near)
        return break_marks(self.newest.networks[binding.of], binding)


def read_field(snapshot: Snapshot, name: str) -> np.ndarray | None:
    """Return a field such as "none.test_loss" or "none.percentiles.unit" as float64, or None."""
    norm, key, *value = name.split(".")
    record = snapshot.networks.get(norm)
    if record is None:
        return None
    found: Any = record.probes.get(key, {}).get(value[0]) if value else getattr(record, key)
    return None if found is None else np.asarray(found, np.float64)


def _part(array: np.ndarray, index: str | None, selected: Mapping[str, int]) -> np.ndarray:
    """Return the part of an array for an index such as ":,1", "1:" or "3,$unit"."""
    parts: list[int | slice] = []
    for part, size in zip(index.split(",") if index else (), array.shape, strict=False):
        if part.endswith(":"):
            parts.append(slice(int(part[:-1] or 0), None))
        else:
            place = selected[part[1:]] if part.startswith("$") else int(part)
            parts.append(min(place, size - 1))
    return np.asarray(array[tuple(parts)])


def on_axis(value: float, of: Drawn) -> float:
    """Return the unclipped coordinate of a measured value."""
    return math.asinh(value * of.scale) if of.transform == "asinh" else value * of.scale


def _clipped(value: float, clip: Clip | None) -> Coordinate:
    """Return a coordinate within bounds, or None if it is not finite."""
    low, high = clip or OPEN
    if low is not None and value < low:
        value = low
    elif high is not None and value > high:
        value = high
    return value if math.isfinite(value) else None


def drawn(value: float, of: Drawn) -> Coordinate:
    return _clipped(on_axis(value, of), of.clip)


def edge(value: float, of: Drawn) -> str:
    """Return whether a value is "low", "inside" or "high", relative to `clip`. NaN is "high"."""
    low, high = of.clip or OPEN
    x = on_axis(value, of)
    if low is not None and x < low:
        return "low"
    return "high" if math.isnan(x) or (high is not None and x > high) else "inside"


class Filling:
    """Traces of a chart, filled binding by binding.

    Attributes:
        filled: New attributes of each trace; names may be dotted ("marker.symbol").
    """

    def __init__(self, traces: Sequence[Mapping[str, Any]], scene: Scene) -> None:
        self._traces, self.scene = traces, scene
        self.filled: Filled = {}

    def apply(self, bindings: Sequence[Binding]) -> None:
        """Apply all bindings except those that are drawn over a figure, such as `Callout`."""
        for binding in bindings:
            fill = FILLS.get(type(binding))
            if fill is None:
                continue
            found = fill(self, binding)
            if found:
                self.filled.setdefault(binding.trace, {}).update(found)  # type: ignore[attr-defined]

    def now(self, trace: int, attribute: str) -> Any:
        """Return an attribute of a trace, as filled so far."""
        return self.filled.get(trace, {}).get(attribute, self._traces[trace].get(attribute))

    def _shown(self, binding: MeasuredBinding) -> np.ndarray | None:
        return self.scene.read(binding, self.scene.shown)

    def _texts(self, trace: int, first: int, texts: Sequence[str]) -> Attributes:
        """Write texts into a trace from the index `first` on; all other texts stay unchanged."""
        present = self.now(trace, "text")
        written = [present] if isinstance(present, str) else list(present or ())
        written += [""] * (first + len(texts) - len(written))
        written[first : first + len(texts)] = texts
        return {"text": written}

    def _array(self, binding: kinds.Array) -> Attributes:
        found = self._shown(binding)
        if found is None:
            return {}
        values = found.ravel().tolist()
        filled: Attributes = {binding.attr: [drawn(value, binding) for value in values]}
        edges = [edge(value, binding) for value in values]
        if binding.edges:
            filled["marker.symbol"] = [binding.edges[each] for each in edges]
        if binding.edge_format:
            filled["text"] = [
                "" if each == "inside" else write(value, binding.edge_format)
                for value, each in zip(values, edges, strict=True)
            ]
        if binding.edge_upright:
            sides = ("left" if each == "high" else "right" for each in edges)
            filled["textposition"] = [f"{binding.edge_upright} {side}" for side in sides]
        return filled

    def _spans(self, binding: kinds.Spans) -> Attributes:
        found = self._shown(binding)
        if found is None:
            return {}
        ends = [(row[binding.low], row[binding.high]) for row in found.tolist()]
        return {
            "x": [
                x
                for low, high in ends
                for x in (_clipped(low, binding.clip), _clipped(high, binding.clip), None)
            ]
        }

    def _ridges(self, binding: kinds.Ridges) -> Attributes:
        found = self._shown(binding)
        if found is None:
            return {}
        rows = np.atleast_2d(found)
        others = (read_field(self.scene.shown, name) for name in binding.peaks)
        parts = [np.atleast_2d(_part(other, binding.index, self.scene.selected))
                 for other in others if other is not None]  # fmt: skip
        peaks = np.concatenate([rows, *parts], axis=1).max(axis=1)
        x: list[Coordinate] = []
        y: list[Coordinate] = []
        for row, counts in enumerate(rows.tolist()):
            left, right = (
                float(end[row] if isinstance(end, Sequence) else end)
                for end in (binding.left, binding.right)
            )
            width = (right - left) / len(counts)
            edges = [left + width * place for place in range(len(counts) + 1)]
            floor, peak = float(binding.base[row]), _peak(float(peaks[row]))
            tops = [floor + binding.height * count / peak for count in counts]
            x += [left, *(end for pair in pairwise(edges) for end in pair)]
            y += [floor, *(top for top in tops for _ in range(2))]
            x += [right, left, None]
            y += [floor, floor, None]
        return {"x": x, "y": y}

    def _links(self, binding: Links) -> Attributes:
        found = self._shown(binding)
        if found is None:
            return {}
        low, high = (math.log10(bound) for bound in binding.bounds)
        half = []
        for value in found.ravel().tolist():
            kept = _clipped(value, binding.bounds)
            share = 1.0 if kept is None else (math.log10(kept) - low) / (high - low)
            half.append((binding.thin + (binding.thick - binding.thin) * share) / 2)
        x: list[Coordinate] = []
        y: list[Coordinate] = []
        middle = binding.middle
        ends = zip(binding.starts, binding.ends, half, half[1:], strict=False)
        for start, end, here, there in ends:
            x += [start, start, end, end, start, None]
            y += [middle - here, middle + here, middle + there, middle - there, middle - here, None]
        return {"x": x, "y": y}

    def _heat(self, binding: kinds.Heat) -> Attributes:
        found = self._shown(binding)
        if found is None:
            return {}
        rows = (found * binding.scale).tolist()
        return {"z": [[_clipped(value, None) for value in row] for row in rows]}

    def _text(self, binding: kinds.Text) -> Attributes:
        found = self._shown(binding)
        if found is None:
            return {}
        texts = [self._number(value * binding.scale, binding) for value in found.ravel().tolist()]
        return self._texts(binding.trace, binding.at, texts)

    @staticmethod
    def _number(value: float, binding: kinds.Text) -> str:
        if (binding.blank_zero and value == 0) or abs(value) < binding.least:
            return ""
        if binding.nonfinite is not None and not math.isfinite(value):
            return binding.nonfinite
        written = write(value, binding.format)
        return binding.template.replace("{value}", written) if binding.template else written

    def _state(self, binding: kinds.State) -> Attributes:
        state = self.scene.shown.networks[binding.network].state
        return dict(binding.when.get(state, binding.otherwise))

    def _state_text(self, binding: kinds.StateText) -> Attributes:
        record = self.scene.shown.networks[binding.network]
        broke = "" if record.broke is None else str(record.broke.step)
        stopped = broke if record.stopped is None else str(record.stopped)
        words = binding.when.get(record.state, "")
        words = words.replace("{broke_step}", broke).replace("{stopped_step}", stopped)
        return self._texts(binding.trace, binding.at, [words])

    def _series(self, binding: kinds.Series) -> Attributes:
        column, place = self.scene.column(binding), self.scene.place(binding)
        finite = sum(map(math.isfinite, column.values()))
        return {
            "x": [place(step) for step in column],
            "y": [drawn(y, binding) if math.isfinite(y) else None for y in column.values()],
            **({"mode": "lines+markers" if finite == 1 else "lines"} if binding.joined else {}),
        }  # fmt: skip

    def _band(self, binding: kinds.Band) -> Attributes:
        """Return one closed path for each range in which neither line is interrupted."""
        low, high = (
            list(_stretches(self.now(trace, "x"), self.now(trace, "y")))
            for trace in (binding.low, binding.high)
        )
        path: list[tuple[Coordinate, Coordinate]] = []
        for above in high:
            for below in low:
                start, end = max(above[0][0], below[0][0]), min(above[-1][0], below[-1][0])
                if start < end:
                    path += [point for point in above if start <= point[0] <= end]
                    path += [point for point in reversed(below) if start <= point[0] <= end]
                    path.append((None, None))
        return {"x": [x for x, _ in path], "y": [y for _, y in path]}

    def _labels(self, binding: kinds.Labels) -> Attributes:
        return label_ends(self.end(label, binding) for label in binding.of)

    def end(
        self, label: kinds.Label, binding: kinds.Labels,
        fits: Callable[[str, float], bool] = lambda _text, _x: True,
    ) -> tuple[Coordinate, Coordinate, str]:  # fmt: skip
        """Return (x, y, text) of the label at the last finite point of a line.

        `fits` says whether a text that begins at x fits into the figure.
        """
        column = self.scene.column(label)
        last = next((step for step in reversed(column) if math.isfinite(column[step])), None)
        if last is None:
            return None, None, ""
        x, y, text = self.scene.place(label)(last), drawn(column[last], label), label.text
        if last != max(column) and not label.may_end:
            long = binding.lost.replace("{text}", text).replace("{step}", str(last))
            short = binding.lost_short.replace("{text}", text)
            text = long if fits(long, last) else short
        elif y != on_axis(column[last], label):
            text += f" ({write(column[last], 'number')})"
        return x, y, text

    def _marks(self, binding: kinds.Marks) -> Attributes:
        return mark_lines([(mark, binding.top) for mark in self.scene.marks(binding)])


def label_ends(ends: Iterable[tuple[Coordinate, Coordinate, str]]) -> Attributes:
    """Return the labels at the ends of lines, given (x, y, text) of each."""
    x, y, texts = zip(*ends, strict=True)
    return {"x": list(x), "y": list(y), "text": list(texts)}


def mark_lines(marks: Sequence[tuple[Mark, float]]) -> Attributes:
    """Return the lines of marks, each with the upper end of its line."""
    return {
        "x": [x for mark, _ in marks for x in (mark.step, mark.step, None)],
        "y": [y for _, top in marks for y in (0, top, None)],
        "text": [text for mark, _ in marks for text in (NOTHING, mark.label or NOTHING, NOTHING)],
    }  # fmt: skip


def _peak(most: float) -> float:
    """Return the largest count, rounded up to a power of `PEAK_STEP`, or 1 if all counts are 0."""
    if most <= 0:
        return 1.0
    return float(PEAK_STEP ** math.ceil(math.log(most) / math.log(PEAK_STEP)))


def _stretches(
    x: Sequence[float], y: Sequence[Coordinate]
) -> Iterator[list[tuple[float, Coordinate]]]:
    """Yield the uninterrupted parts of a line."""
    part: list[tuple[float, Coordinate]] = []
    for point in zip(x, y, strict=True):
        if point[1] is not None:
            part.append(point)
        elif part:
            yield part
            part = []
    if part:
        yield part


FILLS: dict[type[Binding], Callable[[Filling, Any], Attributes]] = {
    kinds.Array: Filling._array, kinds.Spans: Filling._spans, kinds.Ridges: Filling._ridges,
    kinds.Heat: Filling._heat, kinds.Text: Filling._text, kinds.State: Filling._state,
    kinds.StateText: Filling._state_text, kinds.Series: Filling._series, kinds.Band: Filling._band,
    kinds.Labels: Filling._labels, kinds.Marks: Filling._marks, Links: Filling._links,
}  # fmt: skip
