"""The entries of registries: what a thing is called and where its code is, without importing it.

Configuration and pages list norms, probes, data sets and charts; only workers run them. So the
registries hold names and addresses, and torch is imported when an entry is resolved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pkgutil import resolve_name
from typing import Any, TypeVar

from bnviz.words.texts import text


@dataclass(frozen=True, kw_only=True)
class ImportPath:
    """Where the code of a thing is.

    Attributes:
        where: "package.module:attribute"; `resolve` imports it. In the table that `registry` gets,
            what its docstring says.
    """

    where: str = ""

    def resolve(self) -> Any:
        """Import and return the thing."""
        return resolve_name(self.where)


@dataclass(frozen=True, kw_only=True)
class Entry(ImportPath):
    """One line of a registry.

    Attributes:
        words: where its words stand: "norms.batch" is the table `batch` of
            `assets/texts/<language>/norms.toml`, with `label` and `help`.
    """

    words: str = ""

    @property
    def label(self) -> str:
        """The name on screen, in the current language."""
        return text(f"{self.words}.label")

    @property
    def help(self) -> str:
        """One sentence for a tooltip, in the current language."""
        return text(f"{self.words}.help")


Registered = TypeVar("Registered", bound=ImportPath)


def registry(
    package: str, entries: dict[str, Registered], *, attribute: str = "", **by_key: str
) -> dict[str, Registered]:
    """The entries of a registry, with what follows from their keys.

    Args:
        package: where the code is. An entry's `where` is "module:attribute" within it; a module
            that is left out has the name of the key.
        entries: by key.
        attribute: the one that an entry leaves out.
        by_key: other fields of every entry, with "{}" for the key.
    """
    complete = {}
    for key, entry in entries.items():
        module, _, own = entry.where.partition(":")
        where = f"{package}.{module or key.replace('-', '_')}:{own or attribute}"
        fields = {name: pattern.format(key) for name, pattern in by_key.items()}
        complete[key] = replace(entry, where=where, **fields)
    return complete
