"""Values in a lesson's charts, compared with the numbers in its sentences.

The browser's own modules fill the charts. A lesson's test file has a table `CHARTED`: for each
number or condition in the verdict's sentences, a function that reads it from a chart of the lesson,
or a string that says why no chart shows it. `tests/lessons/test_charted.py` compares the values.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from bnviz.charts.chart import Chart
from bnviz.charts.ladder import bars_of, build_ladder
from bnviz.lessons.words import PLACEHOLDER
from bnviz.live.protocol.frames import encode_body
from bnviz.ui.lesson_widgets import steps_seconds_data
from bnviz.words.numbers import FORMATS
from bnviz.words.texts import texts
from tests.charts.conftest import Frame, make_chart, make_view
from tests.charts.real_module import apply
from tests.lessons.observing import lesson, observed

Reading = Callable[["Charted"], Any]


class Charted:
    """Charts of a lesson's own run.

    Attributes:
        run: the run that the verdict reads.
        charts: names of the lesson's charts.
    """

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.run = name, observed(name, seed)
        self.charts = tuple(chart for chart, _ in lesson(name).charts_of(None))

    @functools.cached_property
    def frames(self) -> list[Frame]:
        """The run's frames, encoded as a worker process encodes them."""
        return [
            Frame(encode_body(each, changes=[c for c in self.run.changes if c.step <= each.step]))
            for each in self.run.snapshots
        ]

    def value(
        self, chart: str, field: str, step: int | None = None, *, over_time: bool = False,
        column: int | None = None, **selected: int,
    ) -> Any:  # fmt: skip
        """Return the value that a chart draws for a field, divided by the chart's scale.

        Args:
            field: field of the binding, such as "none.loss" or "batch.gradients.grad_weight_norm".
            step: step of the drawn frame, or None for the last.
            over_time: read the line over time, even if the chart also draws the frame.
            column: column of a field that has one line per column, or None for the first.
            **selected: index of the chosen option, by selector name.

        Raises:
            AssertionError: If the lesson has no such chart, or the chart does not draw the field.
        """
        assert chart in self.charts, f"{self.name} shows {self.charts}, not {chart}"
        built = make_chart(chart, self.run.config)
        binding = self._binding(built, field, over_time=over_time, column=column)
        steps = [frame.step for frame in self.frames]
        step = steps[-1] if step is None else step
        filled = apply(built, self.frames, shown=steps.index(step), selected=selected or None)
        trace = filled.data[binding.trace]
        if binding.kind == "series":
            drawn = np.asarray(dict(zip(trace.x, trace.y, strict=True))[step], dtype=float)
        else:
            drawn = np.asarray(trace[getattr(binding, "attr", "z")], dtype=float)
        if getattr(binding, "transform", None) == "asinh":
            drawn = np.sinh(drawn)
        drawn = drawn / binding.scale
        return drawn.item() if drawn.ndim == 0 else drawn

    def printed(self, chart: str, field: str, step: int | None = None) -> list[str]:
        """Return the numbers that a chart prints for a field, by layer, at `step` or at the end."""
        assert chart in self.charts, f"{self.name} shows {self.charts}, not {chart}"
        built = make_chart(chart, self.run.config)
        binding = next(
            each for each in built.bindings
            if each.kind == "text" and getattr(each, "field", None) == field
        )  # fmt: skip
        steps = [frame.step for frame in self.frames]
        shown = -1 if step is None else steps.index(step)
        written = apply(built, self.frames, shown=shown).data[binding.trace].text
        return [text.strip() for text in written[binding.at :][: self.run.config.layer_count]]

    def line(self, chart: str, field: str, **selected: int) -> dict[int, float]:
        """Return a line over time as values by step, without missing values."""
        assert chart in self.charts, f"{self.name} shows {self.charts}, not {chart}"
        built = make_chart(chart, self.run.config)
        binding = self._binding(built, field, over_time=True)
        trace = apply(built, self.frames, selected=selected or None).data[binding.trace]
        points = zip(trace.x, trace.y, strict=True)
        return {int(x): y / binding.scale for x, y in points if x is not None and y is not None}

    def bar(self, value: str, norm: str) -> int | None:
        """Return the length of a bar in steps, or None if the target was never reached."""
        assert self.run.compared is not None, f"{self.name} compares no runs"
        result, view = self.run.compared, make_view(self.run.config)
        figure = build_ladder((result,), view, {}, texts("series"))
        bars = dict(
            zip([(bar.value, bar.norm) for bar in bars_of((result,))], figure.data, strict=True)
        )
        drawn = bars[value, norm]
        return None if drawn.textposition == "inside" else int(drawn.x[0])

    def price(self) -> float:
        """Return the initial cost of a step with BN in the widget *Steps against seconds*."""
        assert self.run.compared is not None, f"{self.name} compares no runs"
        return float(steps_seconds_data(self.run.compared, {}, {})["measured"])

    def _binding(
        self, built: Chart, field: str, *, over_time: bool, column: int | None = None
    ) -> Any:
        kinds = ("series",) if over_time else ("array", "heat", "series")
        fitting = [
            each for kind in kinds for each in built.bindings
            if each.kind == kind and getattr(each, "field", None) == field
            and (column is None or each.index.endswith(f",{column}"))
        ]  # fmt: skip
        assert fitting, f"{built.name} draws no {field} as {' or '.join(kinds)}"
        return fitting[0]


def table(name: str) -> Mapping[str, Reading | str]:
    """Return the table `CHARTED` of a lesson's test file."""
    found: Mapping[str, Reading | str] = getattr(
        import_module(f"tests.lessons.test_{name.replace('-', '_')}"), "CHARTED", {}
    )
    return found


def named(name: str) -> dict[str, str]:
    """Return the format of each placeholder in a verdict by key ("if" for a condition)."""
    said = texts(f"lessons/{name}")["verdict"]
    found = {}
    for text in (*said["held"], *(each for lead in said["lead"].values() for each in lead)):
        for kind, key, style in PLACEHOLDER.findall(text):
            if kind in ("run", "if"):
                found[key] = "if" if kind == "if" else style or "plain"
    return found


def contradictions(name: str, seed: int = 0) -> Iterator[str]:
    """Yield the differences between the numbers in a lesson's sentences and the values in its
    charts.
    """
    verdict = lesson(name).verdict(observed(name, seed))
    assert verdict is not None
    charted = Charted(name, seed)
    for key, style in named(name).items():
        reading = table(name).get(key)
        said = verdict.numbers.get(key)
        if reading is None:
            yield f"{key}: no line in CHARTED"
        elif said is not None and not isinstance(reading, str):
            shown = reading(charted)
            told = said if style == "if" else FORMATS[style](said)
            drawn = bool(shown) if style == "if" else shown
            drawn = drawn if style == "if" or isinstance(drawn, str) else FORMATS[style](drawn)
            if told != drawn:
                yield f"{key}: the sentence says {told}, the chart shows {drawn}"


# A reason must have at least four words.
REASON = re.compile(r"\w+( \S+){3,}")
