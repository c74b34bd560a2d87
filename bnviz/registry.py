"""The entry of a registry: what a thing is called and where it lives, without importing it.

Configuration and pages list norms, probes, data sets and charts; only workers run them. So the
registries hold names and addresses, and torch is imported when an entry is resolved.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a registry.

    Attributes:
        label: the name on screen.
        help: one sentence for a tooltip.
        where: "package.module:attribute", imported by `resolve`.
    """

    label: str
    help: str
    where: str

    def resolve(self) -> Any:
        """Import the thing this entry names."""
        module, _, attribute = self.where.partition(":")
        return getattr(importlib.import_module(module), attribute)
