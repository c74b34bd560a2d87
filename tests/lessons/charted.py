"""What a lesson's charts show, filled by the browser's own modules, beside what its sentences say.

A lesson's test file has a table `CHARTED`: by number or case of its verdict's sentences, how to
read the same number off a chart of the lesson; or, as a string, why no chart shows it.
`tests/lessons/test_charted.py` compares the two.
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
from tests.lessons.watching import lesson, watched

Reading = Callable[["Charted"], Any]


class Charted:
    """The charts of a lesson's own run.

    Attributes:
        name: of the lesson.
        run: the run that its verdict reads.
        charts: names of its charts.
    """

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.run = name, watched(name, seed)
        self.charts = tuple(chart for chart, _ in lesson(name).charts_of(None))

    @functools.cached_property
    def frames(self) -> list[Frame]:
        """The run's frames as a worker writes them."""
        return [
            Frame(encode_body(each, changes=[c for c in self.run.changes if c.step <= each.step]))
            for each in self.run.snapshots
        ]

    def value(
        self, chart: str, field: str, step: int | None = None, *, over_time: bool = False,
        column: int | None = None, **selected: int,
    ) -> Any:  # fmt: skip
        """What a chart draws of a field, as the number that was measured: scales are undone.

        Args:
            chart: one that the lesson shows.
            field: of the binding, as "none.loss" or "batch.gradients.grad_weight_norm".
            step: at which it is drawn; None: the last.
            over_time: read the line over time even where the chart draws the frame, too.
            column: of a field with several, each drawn as a line of its own; None: the first.
            **selected: chosen option by selector name, from 0.

        Raises:
            AssertionError: the lesson shows no such chart, or the chart draws no such field.
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
        """The numbers of a field that a chart writes beside what it draws, layer 1 first.

        Args:
            step: at which they are written; None: the last.
        """
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
        """A line of a chart over time, by step, as far as it was measured and is drawn."""
        assert chart in self.charts, f"{self.name} shows {self.charts}, not {chart}"
        built = make_chart(chart, self.run.config)
        binding = self._binding(built, field, over_time=True)
        trace = apply(built, self.frames, selected=selected or None).data[binding.trace]
        points = zip(trace.x, trace.y, strict=True)
        return {int(x): y / binding.scale for x, y in points if x is not None and y is not None}

    def bar(self, value: str, norm: str) -> int | None:
        """How long a bar of the ladder is, in steps; None where it says that none was enough."""
        assert self.run.compared is not None, f"{self.name} compares no runs"
        result, view = self.run.compared, make_view(self.run.config)
        figure = build_ladder((result,), view, {}, texts("series"))
        bars = dict(
            zip([(bar.value, bar.norm) for bar in bars_of((result,))], figure.data, strict=True)
        )
        drawn = bars[value, norm]
        return None if drawn.textposition == "inside" else int(drawn.x[0])

    def price(self) -> float:
        """The price of a step with BN at which the widget *Steps against seconds* begins."""
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
    """The table of a lesson's test file."""
    found: Mapping[str, Reading | str] = getattr(
        import_module(f"tests.lessons.test_{name.replace('-', '_')}"), "CHARTED", {}
    )
    return found


def named(name: str) -> dict[str, str]:
    """The numbers and cases that a verdict names, each with its format; "if" for cases."""
    said = texts(f"lessons/{name}")["verdict"]
    found = {}
    for text in (*said["held"], *(each for lead in said["lead"].values() for each in lead)):
        for kind, key, style in PLACEHOLDER.findall(text):
            if kind in ("run", "if"):
                found[key] = "if" if kind == "if" else style or "plain"
    return found


def contradictions(name: str, seed: int = 0) -> Iterator[str]:
    """Where a sentence says another number than the chart beside it shows."""
    verdict = lesson(name).verdict(watched(name, seed))
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


# A reason why no chart shows a number has to be one.
REASON = re.compile(r"\w+( \S+){3,}")
