"""The presets: settings worth opening, each with a claim that a test holds it to.

Names and words stand in `assets/texts/<language>/presets.toml`. A new preset is a line here and a
table there. Those of the group "literature" show what `bnviz.claims` measures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from bnviz.config import RunConfig


@dataclass(frozen=True)
class Preset:
    """A named setting.

    Attributes:
        knobs: what differs from `RunConfig`'s defaults.
        suggestion: live knobs the page offers to try, as a button beside the learning rate.
        group: "lab" for the app's own, "literature" for the experiments of papers.
        charts: the charts in which it is to be seen, beside those that always stand there.
    """

    knobs: dict[str, Any] = field(default_factory=dict)
    suggestion: dict[str, Any] = field(default_factory=dict)
    group: Literal["lab", "literature"] = "lab"
    charts: tuple[str, ...] = ()

    def config(self, **changes: Any) -> RunConfig:
        """The preset's config, with some knobs changed."""
        return RunConfig(**{**self.knobs, **changes})


def _literature(*charts: str, suggestion: dict[str, Any] | None = None, **knobs: Any) -> Preset:
    return Preset(knobs, suggestion or {}, "literature", charts)


# torch's own initial weights for 100 inputs have this standard deviation, 1/√(3·100).
SMALL_WEIGHTS: dict[str, Any] = {"init": "normal", "init_std": 0.058}

PRESETS: dict[str, Preset] = {
    "raise-the-rate": Preset(suggestion={"learning_rate": 1.0}),
    "broken-from-the-start": Preset({"learning_rate": 1.0}, {"learning_rate": 0.1}),
    "figure-1": Preset(
        {
            "dataset": "mnist", "input_scaling": "binary", "depth": 3, "activation": "sigmoid",
            "init": "normal", "init_std": 0.1, "learning_rate": 1.0,
        }
    ),
    "deep-sigmoid-vanishes": Preset({"activation": "sigmoid", "depth": 10}),
    "large-initial-weights": Preset({"init": "normal", "init_std": 1.0}),
    "batch-of-two": Preset(
        {"batch_size": 2, "depth": 3, "norms": ("none", "batch", "layer")}, {"batch_size": 60}
    ),
    "spirals": Preset(
        {"dataset": "spirals", "depth": 5, "width": 32, "activation": "relu", "init": "he"}
    ),
    "e1-figure-1-digits": _literature(
        "percentiles", depth=3, activation="sigmoid", init="normal", init_std=0.1,
        learning_rate=1.0,
    ),
    "e3-outside-the-gradient": _literature(
        "biases", depth=3, norms=("none", "ablated"), ablation_statistics="mean",
        ablation_gradient=False, ablation_bias=True,
    ),
    "e4-weights-grow": _literature("weights", norms=("batch",), learning_rate=1.0),
    "e5-jacobians": _literature(init="orthogonal"),
    "e6-gradients-grow": _literature(
        "growth", depth=20, activation="relu", init="he", learning_rate=0.01
    ),
    "e7-rank-collapse": _literature(
        "rank", depth=50, width=16, activation="linear", learning_rate=0.01
    ),
    "e8-shift-by-gradients": _literature("ics", depth=8, learning_rate=0.01),
    "e9-noise-after-bn": _literature(
        "percentiles", depth=13, activation="relu", norms=("none", "batch", "noisy"),
        **SMALL_WEIGHTS,
    ),
    "e10-landscape": _literature(
        "landscape", depth=3, activation="relu", init="he", suggestion={"learning_rate": 0.01}
    ),
    "e11-other-averages": _literature("drift", norms=("none", "batch", "l1", "linf")),
    "e12-largest-rate": _literature(
        depth=3, activation="relu", init="he", learning_rate=1.0, suggestion={"learning_rate": 0.1}
    ),
    "e13-edge-of-stability": _literature(
        "sharpness", dataset="circles", loss="squared", batch_size=1000, depth=3, width=32,
        learning_rate=0.2,
    ),
    "e14-tiny-batches": _literature(
        depth=3, norms=("batch", "renorm", "group", "layer"), batch_size=2,
        suggestion={"batch_size": 4},
    ),
    "e15-two-modes": _literature("mode_gap", depth=3, norm_momentum=0.01),
    "e16-batch-noise": _literature("batch_noise"),
    "e17-whitening": _literature("rank", norms=("none", "batch", "iternorm", "zca")),
    "e17-feature-maps": _literature(network="conv", norms=("none", "batch", "group", "instance")),
    "e17-recurrent": _literature("growth", network="recurrent"),
}  # fmt: skip

DEFAULT_PRESET = "raise-the-rate"
