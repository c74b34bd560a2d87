"""The presets: settings worth opening, each with a claim that a test holds it to.

Names and words stand in `assets/texts/<language>/presets.toml`. A new preset is a line here and a
table there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bnviz.config import RunConfig


@dataclass(frozen=True)
class Preset:
    """A named setting.

    Attributes:
        knobs: what differs from `RunConfig`'s defaults.
        suggestion: live knobs the page offers to try, as a button beside the learning rate.
    """

    knobs: dict[str, Any] = field(default_factory=dict)
    suggestion: dict[str, Any] = field(default_factory=dict)

    def config(self, **changes: Any) -> RunConfig:
        """The preset's config, with some knobs changed."""
        return RunConfig(**{**self.knobs, **changes})


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
}  # fmt: skip

DEFAULT_PRESET = "raise-the-rate"
