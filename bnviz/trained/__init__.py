"""Networks that widgets compute with in the browser: which ones, and after how many steps.

The server trains each once, when it is first asked for, in a process of its own
(`python -m bnviz.trained`), and sends its weights with the test images as `packed` writes them.
Names can be listed without importing torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bnviz.config import RunConfig


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How networks come to be.

    Attributes:
        knobs: of `RunConfig`, where they are not the defaults. Of fully connected networks only.
        steps: optimization steps taken.
    """

    knobs: Mapping[str, Any] = field(default_factory=dict)
    steps: int

    def config(self) -> RunConfig:
        """The config of the run; the engine's bits are the CPU's."""
        return RunConfig(**self.knobs, device="cpu")


RECIPES: dict[str, Recipe] = {
    "compose-batch": Recipe(knobs={"norms": ("batch",), "depth": 3}, steps=300),
    "shift-outside": Recipe(steps=100),
}
