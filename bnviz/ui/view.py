"""What stands in one live view: the lab's is one, a lesson's or the home page's another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Size = Literal["full", "half"]
Part = Literal["transport", "step", "pace", "cards", "headlines", "timeline", "game"]
Layout = Literal["stack", "home", "stage"]


@dataclass(frozen=True, kw_only=True)
class View:
    """One live view of a page.

    Attributes:
        key: of the component, once a page.
        charts: (name, size) in order; None: the lab's, which its visitor adds to.
        knobs: live knobs that stand in it.
        parts: what stands in it besides.
        layout: how the parts lie, for the styles; a "stage" has charts, knobs and labels alone.
        tells: steps of which the page's script is told when the run has passed them, and of its end
            where it ends before.
        one_on_phone: on a phone one chart at a time, with a row of names to choose by.
        waits: whether its buttons keep their place, but cannot be used yet.
        labels: what networks are called, where it is something else than elsewhere.
        chart_labels: the same within charts, where there is less room.
        heading: a title and the lines below it.
        replay: what somebody did before, which the run does again by itself: `changes` as pairs of
            a step and a learning rate, and the `title` once another hand has taken over.
        knob_specs: knob -> what is otherwise of it here (see `bnviz.ui.knobs`).
        notes: chart -> a few words that stand in its heading, such as a guess.
        drawing: a curve that is drawn over one of the charts (see `bnviz.ui.lessons.prediction`).
        question: what a class is asked here before all else: `text`, `answers`, `kind`, and of a
            lesson that has come to its end `happened`, which answers came true.
    """

    key: str
    charts: tuple[tuple[str, Size], ...] | None = None
    knobs: tuple[str, ...] = ("learning_rate",)
    parts: tuple[Part, ...] = ("transport", "timeline")
    layout: Layout = "stack"
    tells: tuple[int, ...] = ()
    one_on_phone: bool = False
    waits: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    chart_labels: Mapping[str, str] = field(default_factory=dict)
    heading: tuple[str, ...] = ()
    replay: Mapping[str, Any] | None = None
    knob_specs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    drawing: Mapping[str, Any] | None = None
    question: Mapping[str, Any] | None = None


THE_LAB = View(key="live_view")
