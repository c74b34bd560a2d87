"""The entry of a registry: what a thing is called and where it lives, without importing it.

Configuration and pages list norms, probes, data sets and charts; only workers run them. So the
registries hold names and addresses, and torch is imported when an entry is resolved.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from bnviz.words.texts import text


@dataclass(frozen=True, kw_only=True)
class ImportPath:
    """Where a thing lives.

    Attributes:
        where: "package.module:attribute", imported by `resolve`.
    """

    where: str

    def resolve(self) -> Any:
        """Import the thing this entry names."""
        module, _, attribute = self.where.partition(":")
        return getattr(importlib.import_module(module), attribute)


@dataclass(frozen=True, kw_only=True)
class Entry(ImportPath):
    """One line of a registry.

    Attributes:
        words: where its words stand: "norms.batch" is the table `batch` of
            `assets/texts/<language>/norms.toml`, with `label` and `help`.
    """

    words: str

    @property
    def label(self) -> str:
        """The name on screen, in the language that is spoken."""
        return text(f"{self.words}.label")

    @property
    def help(self) -> str:
        """One sentence for a tooltip, in the language that is spoken."""
        return text(f"{self.words}.help")
