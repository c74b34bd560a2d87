"""Fill a chart from frames in Python as the browser does, for tests that need no browser.

`tests/browser/live_view/test_charts.py` holds the two together on every chart. What the browser
does beyond filling it does alone: it thins long lines, pushes words apart, reacts to a pointer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bnviz.charts import binding as kinds
from bnviz.charts import nodes
from bnviz.charts.chart import Chart
from bnviz.words.numbers import write
from tests.charts.browser_twin.frame import Frame
from tests.charts.browser_twin.mark_labels import change_marks

FULL_COUNT = 65535.0


def apply(
    chart: Chart, frames: Iterable[Frame], *, shown: int = -1, pinned: bool = False,
    selected: Mapping[str, int] | None = None,
) -> go.Figure:  # fmt: skip
    """The chart's traces, filled: a figure whose layout is left out, as nothing here changes it.

    Args:
        chart: as built; it is not changed.
        frames: in order of step.
        shown: place of the frame that is shown.
        pinned: whether the cursor stands there.
        selected: chosen option by selector name; none given: the defaults.
    """
    history = list(frames)
    choices = {selector.name: selector.default for selector in chart.selectors}
    scene = _Scene(
        go.Figure(data=chart.figure.data),
        history,
        history[shown],
        pinned,
        {**choices, **(selected or {})},
    )
    for one in chart.bindings:
        _KINDS[type(one)](one, scene)
    return scene.figure


@dataclass
class _Scene:
    figure: go.Figure
    history: list[Frame]
    frame: Frame
    pinned: bool
    selected: Mapping[str, int] = field(default_factory=dict)

    def read(self, one: kinds.Measured, frame: Frame | None = None) -> np.ndarray | None:
        frame = frame or self.frame
        value, over = frame.value(one.field), getattr(one, "over", None)
        whole = None if over is None else frame.value(over)
        if value is None or (over is not None and whole is None):
            return None
        part = take(value, one.index, self.selected)
        with np.errstate(divide="ignore", invalid="ignore"):
            return part if whole is None else part / whole

    def set(self, trace: int, **values: Any) -> None:
        self.figure.data[trace].update(**values)

    def write_text(self, trace: int, at: int, words: Sequence[str]) -> None:
        text = list(self.figure.data[trace].text or ())
        text += [""] * (at + len(words) - len(text))
        text[at : at + len(words)] = words
        self.set(trace, text=text)


def take(value: np.ndarray, index: str | None, selected: Mapping[str, int]) -> np.ndarray:
    """The part of an array that an index names."""
    if index is None:
        return value
    parts: list[int | slice] = []
    for part in index.split(","):
        name = part.strip()
        if name.endswith(":"):
            parts.append(slice(int(name[:-1] or 0), None))
        else:
            parts.append(selected[name[1:]] if name.startswith("$") else int(name))
    return value[tuple(parts)]


def drawn(value: float, one: Any, last: float | None = None) -> float | None:
    """The number as it is drawn: scaled, transformed, clipped, the last finite one for NaN."""
    low, high = getattr(one, "clip", None) or (None, None)
    number = _scaled(value, one)
    if math.isfinite(number):
        number = number if low is None else max(number, low)
        return number if high is None else min(number, high)
    if number == math.inf and high is not None:
        return high
    if number == -math.inf and low is not None:
        return low
    return last


def _scaled(value: float, one: Any) -> float:
    number = float(value) * getattr(one, "scale", 1.0) + getattr(one, "offset", 0.0)
    return math.asinh(number) if getattr(one, "transform", None) == "asinh" else number


def _edge(value: float, one: kinds.Array) -> str:
    low, high = one.clip or (None, None)
    number = _scaled(value, one)
    if math.isnan(number) or (high is not None and number > high):
        return "high"
    return "low" if low is not None and number < low else "inside"


def _array(one: kinds.Array, scene: _Scene) -> None:
    values = scene.read(one)
    if values is None:
        return
    flat = values.ravel()
    scene.set(one.trace, **{one.attr: [drawn(value, one) for value in flat]})
    edges = [_edge(value, one) for value in flat]
    if one.edges:
        scene.set(one.trace, marker_symbol=[one.edges[edge] for edge in edges])
    if one.edge_format:
        words = ["" if edge == "inside" else write(float(value), one.edge_format)
                 for edge, value in zip(edges, flat, strict=True)]  # fmt: skip
        scene.set(one.trace, text=words)


def _spans(one: kinds.Spans, scene: _Scene) -> None:
    values = scene.read(one)
    if values is not None:
        ends = [(drawn(row[one.low], one), drawn(row[one.high], one), None) for row in values]
        scene.set(one.trace, x=[x for end in ends for x in end])


def _ridges(one: kinds.Ridges, scene: _Scene) -> None:
    counts = scene.read(one)
    if counts is None:
        return
    counts = np.atleast_2d(counts)
    count = len(one.base)
    ends = zip(np.broadcast_to(one.left, count), np.broadcast_to(one.right, count), strict=True)
    x: list[float | None] = []
    y: list[float | None] = []
    for base, row, (left, right) in zip(one.base, counts, ends, strict=True):
        edges = np.linspace(left, right, counts.shape[1] + 1)
        height = base + np.minimum(one.scale * row / FULL_COUNT, one.limit)
        x += [edges[0], *np.repeat(edges, 2)[1:-1], edges[-1], edges[0], None]
        y += [base, *np.repeat(height, 2), base, base, None]
    scene.set(one.trace, x=x, y=y)


def _links(one: nodes.Links, scene: _Scene) -> None:
    values = scene.read(one)
    if values is None:
        return
    # What is no number and never was one is as thick as can be.
    shares = np.log(np.clip(np.nan_to_num(values, nan=np.inf), *one.bounds) / one.bounds[0])
    shares /= math.log(one.bounds[1] / one.bounds[0])
    half = ((one.thin + (one.thick - one.thin) * shares) / 2).tolist()
    x: list[float | None] = []
    y: list[float | None] = []
    for start, end, here, there in zip(one.starts, one.ends, half, half[1:], strict=False):
        x += [start, start, end, end, start, None]
        y += [one.middle + away for away in (-here, here, there, -there, -here)]
        y.append(None)
    scene.set(one.trace, x=x, y=y)


def _heat(one: kinds.Heat, scene: _Scene) -> None:
    values = scene.read(one)
    if values is not None:
        scene.set(one.trace, z=[[drawn(value, one) for value in row] for row in values])


def _text(one: kinds.Text, scene: _Scene) -> None:
    values = scene.read(one)
    if values is None:
        return
    words = []
    for value in values.ravel():
        words.append(_word(float(value) * one.scale, one))
    scene.write_text(one.trace, one.at, words)


def _word(value: float, one: kinds.Text) -> str:
    if one.nonfinite is not None and not math.isfinite(value):
        return one.nonfinite
    if (one.blank_zero and value == 0) or abs(value) < one.least:
        return ""
    word = write(value, one.format)
    return one.template.replace("{value}", word) if one.template else word


def _over_time(one: Any, scene: _Scene) -> tuple[list[int], list[float]]:
    """What was measured, each at its step and once, whichever frames carry it."""
    found: dict[int, float] = {}
    stopped = scene.frame.networks.get(one.field.split(".")[0], {}).get("stopped")
    for frame in scene.history:
        step, value = frame.measured_at(one.field), scene.read(one, frame)
        # What a network that has stopped still measures is nothing that happens.
        if value is not None and (stopped is None or step <= stopped):
            found[step] = float(value)
    steps = sorted(found)
    return steps, [found[step] for step in steps]


def _across(one: Any, scene: _Scene, steps: Sequence[int]) -> list[float | None]:
    """Where the points of these steps stand: there, or at what the chosen field was."""
    field = one.across.fields[scene.selected[one.across.by[1:]]] if one.across else ""
    if not field:
        return list(steps)
    found = {frame.step: frame.value(field) for frame in scene.history}
    return [None if found.get(step) is None else float(found[step]) for step in steps]


def _series(one: kinds.Series, scene: _Scene) -> None:
    steps, values = _over_time(one, scene)
    y = [drawn(value, one) if math.isfinite(value) else None for value in values]
    if len(steps) > one.points:
        raise ValueError(f"the browser would thin {len(steps)} steps to {one.points}")
    scene.set(one.trace, x=_across(one, scene, steps), y=y)


def _band(one: kinds.Band, scene: _Scene) -> None:
    low, high = (scene.figure.data[trace] for trace in (one.low, one.high))
    points = list(zip(low.x, low.y, high.y, strict=True))
    x: list[float | None] = []
    y: list[float | None] = []
    for goes_on, found in itertools.groupby(points, lambda point: None not in point):
        stretch = list(found)
        if goes_on and len(stretch) > 1:
            steps, below, above = (list(values) for values in zip(*stretch, strict=True))
            x += [*steps, *steps[::-1], None]
            y += [*above, *below[::-1], None]
    scene.set(one.trace, x=x, y=y)


def _labels(one: kinds.Labels, scene: _Scene) -> None:
    ends = [_end(label, one.lost, scene) for label in one.of]
    scene.set(one.trace, x=[end[0] for end in ends], y=[end[1] for end in ends],
              text=[end[2] for end in ends])  # fmt: skip


def _end(label: kinds.Label, lost: str, scene: _Scene) -> tuple[float | None, float | None, str]:
    steps, values = _over_time(label, scene)
    last = max((i for i, value in enumerate(values) if math.isfinite(value)), default=None)
    if last is None:
        return None, None, ""
    text, y = label.text, drawn(values[last], label)
    if last < len(values) - 1:
        text = lost.replace("{text}", text).replace("{step}", str(steps[last]))
    elif y != _scaled(values[last], label):
        text += f" ({write(values[last], 'number')})"
    return _across(label, scene, steps)[last], y, text


def _marks(one: kinds.Marks, scene: _Scene) -> None:
    if one.of == "changes":
        marks = change_marks(one, scene.frame.changes)
    else:
        broke = scene.frame.networks[one.of].get("broke")
        marks = [(broke["step"], one.labels.get("break", ""))] if broke else []
    x: list[int | None] = [step for mark, _ in marks for step in (mark, mark, None)]
    scene.set(one.trace, x=x, y=[0, one.top, None] * len(marks),
              text=[word for _, label in marks for word in ("", label, "")])  # fmt: skip


def _cursor(one: kinds.Cursor, scene: _Scene) -> None:
    step = scene.frame.step if scene.pinned else None
    scene.set(one.trace, x=[step, step])


def _state(one: kinds.State, scene: _Scene) -> None:
    state = scene.frame.networks[one.network]["state"]
    for name, value in one.when.get(state, one.otherwise).items():
        scene.set(one.trace, **{name.replace(".", "_"): value})


def _state_text(one: kinds.StateText, scene: _Scene) -> None:
    network = scene.frame.networks[one.network]
    broke = (network.get("broke") or {}).get("step", "")
    stopped = network.get("stopped")
    text = one.when.get(network["state"], "").replace("{broke_step}", str(broke))
    text = text.replace("{stopped_step}", str(broke if stopped is None else stopped))
    scene.write_text(one.trace, one.at, [text])


def _rows(one: kinds.Rows, scene: _Scene) -> None:
    """An overlay of the browser: nothing to fill."""


_KINDS: dict[type[kinds.Binding], Callable[[Any, _Scene], None]] = {
    kinds.Array: _array, kinds.Spans: _spans, kinds.Ridges: _ridges, kinds.Heat: _heat,
    kinds.Text: _text, kinds.Series: _series, kinds.Band: _band, kinds.Labels: _labels,
    kinds.Marks: _marks, kinds.Cursor: _cursor, kinds.State: _state, kinds.StateText: _state_text,
    kinds.Rows: _rows,
    kinds.Callout: _rows, nodes.NodeCallout: _rows, nodes.Doors: _rows, nodes.Links: _links,
}  # fmt: skip
