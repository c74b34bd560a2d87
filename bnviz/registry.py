"""The entries of registries: what a thing is called and where its code is, without importing it.

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
    """Where the code of a thing is.

    Attributes:
        where: "package.module:attribute"; `resolve` imports it.
    """

    where: str

    def resolve(self) -> Any:
        """Import and return the thing."""
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
        """The name on screen, in the current language."""
        return text(f"{self.words}.label")

    @property
    def help(self) -> str:
        """One sentence for a tooltip, in the current language."""
        return text(f"{self.words}.help")
