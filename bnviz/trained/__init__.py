"""Training recipes of networks that widgets evaluate in the browser.

The server trains a recipe's networks on the first request, in a separate process (`python -m
bnviz.trained`), and sends weights and test images in the format of `packed`. This module does not
import torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bnviz.config import RunConfig


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Training recipe of fully connected networks: `RunConfig` values and number of steps."""

    knobs: Mapping[str, Any] = field(default_factory=dict)
    steps: int

    def config(self) -> RunConfig:
        """Return the run's config, for the CPU, so that results do not depend on the device."""
        return RunConfig(**self.knobs, device="cpu")


RECIPES: dict[str, Recipe] = {
    "compose-batch": Recipe(knobs={"norms": ("batch",), "depth": 3}, steps=300),
    "shift-outside": Recipe(steps=100),
}
