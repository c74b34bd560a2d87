"""Presets: named settings. Each preset shows an effect at a certain step, which a test checks.

A new preset needs an entry here and a table in `assets/texts/<language>/presets.toml`. Presets of
the group "literature" show what `bnviz.claims` measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bnviz.config import RunConfig


@dataclass(frozen=True, kw_only=True)
class PresetQuestion:
    """Question for a class about a preset's run. Its text is `ask` in the preset's texts.

    Attributes:
        kind: rule that finds the answer in the run (`assets/classroom/run_questions.js`).
        network: norm of the network in question, or None.
        steps: steps from the question to the final answer, or None for the default of its kind.
        needs: values that live knobs must have. There is no answer before the first step with these
            values, and `steps` counts from that step.
    """

    kind: Literal["breaks", "first", "ahead", "accuracy", "layer"]
    network: str | None = None
    steps: int | None = None
    needs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Named setting.

    Attributes:
        knobs: values that differ from the defaults of `RunConfig`.
        step_to_see: opening step, at which the preset's texts describe the run. The page marks it.
        suggestion: live knobs that the page offers on a button beside the learning rate.
        charts: charts that show the preset's effect, in addition to the charts of every run.
        layers_first: whether the layer chart shows the effect and is placed before the loss.
        question: question for a class, or None for one of the default questions.
    """

    knobs: dict[str, Any] = field(default_factory=dict)
    step_to_see: int
    suggestion: dict[str, Any] = field(default_factory=dict)
    group: Literal["lab", "literature"] = "lab"
    charts: tuple[str, ...] = ()
    layers_first: bool = False
    opposite: str | None = None
    question: PresetQuestion | None = None

    @property
    def leading(self) -> tuple[str, ...]:
        """Charts that are placed before all other charts."""
        return (*self.charts, "layers") if self.layers_first else self.charts

    def config(self, **changes: Any) -> RunConfig:
        return RunConfig(**{**self.knobs, **changes})


def _literature(
    *charts: str, step_to_see: int, suggestion: dict[str, Any] | None = None,
    opposite: str | None = None, **knobs: Any,
) -> Preset:  # fmt: skip
    return Preset(
        knobs=knobs, step_to_see=step_to_see, suggestion=suggestion or {}, group="literature",
        charts=charts,
        opposite=opposite,
    )  # fmt: skip


# Normal weights with the standard deviation of torch's default weights for 100 inputs: 1/√(3·100).
SMALL_WEIGHTS: dict[str, Any] = {"init": "normal", "init_std": 0.058}
FIFTY_LAYERS: dict[str, Any] = {
    "depth": 50, "width": 50, "activation": "relu", "init": "he", "skip": 2,
}  # fmt: skip

PRESETS: dict[str, Preset] = {
    "raise-the-rate": Preset(
        step_to_see=100, suggestion={"learning_rate": 1.0},
        question=PresetQuestion(kind="breaks", needs={"learning_rate": 1.0}),
    ),
    "broken-from-the-start": Preset(
        step_to_see=20, knobs={"learning_rate": 1.0}, suggestion={"learning_rate": 0.1},
        question=PresetQuestion(kind="first"),
    ),
    "figure-1": Preset(
        step_to_see=50, charts=("percentiles",), question=PresetQuestion(kind="ahead", steps=50),
        knobs={
            "dataset": "mnist", "input_scaling": "binary", "depth": 3, "activation": "sigmoid",
            "init": "normal", "init_std": 0.1, "learning_rate": 1.0,
        },
    ),
    "deep-sigmoid-vanishes": Preset(
        step_to_see=100, layers_first=True, knobs={"activation": "sigmoid", "depth": 10},
        question=PresetQuestion(kind="accuracy", network="none"),
    ),
    "large-initial-weights": Preset(
        step_to_see=0, layers_first=True, knobs={"init": "normal", "init_std": 1.0},
        question=PresetQuestion(kind="ahead"),
    ),
    "batch-of-two": Preset(
        step_to_see=300, charts=("batch_values",), suggestion={"batch_size": 60},
        knobs={"batch_size": 2, "depth": 3, "norms": ("none", "batch", "layer")},
        question=PresetQuestion(kind="ahead", steps=300),
    ),
    "spirals": Preset(
        step_to_see=200, charts=("boundary",), question=PresetQuestion(kind="ahead", steps=200),
        knobs={"dataset": "spirals", "depth": 5, "width": 32, "activation": "relu", "init": "he"},
    ),
    "e1-figure-1-digits": _literature(
        "percentiles", step_to_see=25, depth=3, activation="sigmoid", init="normal", init_std=0.1,
        learning_rate=1.0,
    ),
    "e3-outside-the-gradient": _literature(
        "biases", step_to_see=200, depth=3, norms=("none", "ablated"), ablation_statistics="mean",
        ablation_gradient=False, ablation_bias=True,
    ),
    "e4-weights-grow": _literature("weights", step_to_see=100, norms=("batch",), learning_rate=1.0),
    "e5-jacobians": _literature("jacobian", step_to_see=50, init="orthogonal"),
    "e6-gradients-grow": _literature(
        "growth", step_to_see=0, depth=20, activation="relu", init="he", learning_rate=0.01
    ),
    "e7-rank-collapse": _literature(
        "rank", step_to_see=40, depth=50, width=16, activation="linear", learning_rate=0.01
    ),
    "e8-shift-by-gradients": _literature(
        "ics", step_to_see=50, depth=8, learning_rate=0.01, opposite="e8-shift-lowered"
    ),
    "e8-shift-lowered": _literature(
        "ics", step_to_see=50, depth=3, activation="relu", init="he",
        opposite="e8-shift-by-gradients"
    ),
    "e9-noise-after-bn": _literature(
        "percentiles", step_to_see=150, depth=13, activation="relu",
        norms=("none", "batch", "noisy"),
        **SMALL_WEIGHTS,
    ),
    "e10-landscape": _literature(
        "landscape", step_to_see=20, depth=3, activation="relu", init="he",
        opposite="e10-landscape-rougher",
    ),
    "e10-landscape-rougher": _literature(
        "landscape", step_to_see=20, depth=3, activation="relu", learning_rate=0.01,
        opposite="e10-landscape",
    ),
    "e11-other-averages": _literature(
        "drift", step_to_see=100, norms=("none", "batch", "l1", "linf"),
    ),
    "e12-largest-rate": _literature(
        step_to_see=100, depth=3, activation="relu", init="he", learning_rate=2.0,
        suggestion={"learning_rate": 0.1},
    ),
    "e13-edge-of-stability": _literature(
        "sharpness", step_to_see=400, dataset="circles", loss="squared", batch_size=1000, depth=3,
        width=32, learning_rate=0.15,
    ),
    "e14-tiny-batches": _literature(
        "batch_values", step_to_see=200, depth=3, norms=("batch", "renorm", "group", "layer"),
        batch_size=2, suggestion={"batch_size": 4},
    ),
    "e15-two-modes": _literature(
        "mode_gap", step_to_see=150, depth=3, activation="relu", init="he", norm_momentum=0.003
    ),
    "e16-batch-noise": _literature("batch_noise", step_to_see=50),
    "e16-ghosts": _literature(
        "fit_gap", step_to_see=200, depth=3, activation="relu", init="he", noise=0.5,
        batch_size=240,
        norms=("none", "batch", "ghost"),
    ),
    "e17-whitening": _literature("rank", step_to_see=40, norms=("batch", "iternorm", "zca")),
    "e17-feature-maps": _literature(
        step_to_see=50, network="conv", norms=("none", "batch", "group", "instance")
    ),
    "e17-recurrent": _literature("growth", step_to_see=0, network="recurrent"),
    "e18-fifty-layers-skip": _literature(
        step_to_see=150, opposite="e18-branches-from-nothing", **FIFTY_LAYERS
    ),
    "e18-branches-from-nothing": _literature(
        step_to_see=150, opposite="e18-fifty-layers-skip", branch_start=0.0, **FIFTY_LAYERS
    ),
    "e22-weights-at-a-thousand": _literature(
        "weights", step_to_see=200, learning_rate=1.0, rate_factors=(1000.0, 0.1, 0.1)
    ),
}  # fmt: skip

DEFAULT_PRESET = "raise-the-rate"

# Lesson of each preset.
LESSON_OF: dict[str, str] = {
    preset: lesson
    for lesson, presets in {
        "break-it": ("raise-the-rate", "broken-from-the-start"),
        "slow-start": (
            "figure-1", "deep-sigmoid-vanishes", "large-initial-weights", "e1-figure-1-digits",
        ),
        "through-the-batch": ("e3-outside-the-gradient",),
        "scale-and-shift": ("spirals",),
        "two-modes": ("e15-two-modes",),
        "size-of-weights": (
            "e4-weights-grow", "e13-edge-of-stability", "e22-weights-at-a-thousand",
        ),
        "depth": (
            "e5-jacobians", "e6-gradients-grow", "e7-rank-collapse", "e18-fifty-layers-skip",
            "e18-branches-from-nothing",
        ),
        "batch-size": ("batch-of-two", "e14-tiny-batches", "e16-batch-noise"),
        "does-it-regularize": ("e16-ghosts",),
        "is-it-shift": (
            "e8-shift-by-gradients", "e8-shift-lowered", "e9-noise-after-bn", "e10-landscape",
            "e10-landscape-rougher",
        ),
        "what-it-buys": ("e12-largest-rate",),
        "whitening": ("e11-other-averages", "e17-whitening"),
        "images-and-sequences": ("e17-feature-maps", "e17-recurrent"),
    }.items()
    for preset in presets
}  # fmt: skip
