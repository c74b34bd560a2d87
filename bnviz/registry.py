"""Registry entries, each with a name and the path of its code, which is imported only on use.

Configuration and pages list norms, probes, data sets and charts, but only workers run their code.
So this code, and torch with it, is imported only when an entry is resolved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pkgutil import resolve_name
from typing import Any, TypeVar

from bnviz.words.texts import text


@dataclass(frozen=True, kw_only=True)
class ImportPath:
    """Import path of an object. `where` is "package.module:attribute" after `registry` has
    completed it.
    """

    where: str = ""

    def resolve(self) -> Any:
        return resolve_name(self.where)


@dataclass(frozen=True, kw_only=True)
class Entry(ImportPath):
    """Registry entry with texts; `words` names their table in `assets/texts`.

    "norms.batch" is the table `batch` of `assets/texts/<language>/norms.toml`, with `label` and
    `help`.
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
    """Complete the entries of a registry from their keys.

    Args:
        package: package of the code. `where` of an entry is "module:attribute" in this package, and
            the module defaults to the key.
        attribute: default attribute of an entry.
        by_key: patterns for other fields of every entry, in which the key replaces "{}".
    """
    complete = {}
    for key, entry in entries.items():
        module, _, own = entry.where.partition(":")
        where = f"{package}.{module or key.replace('-', '_')}:{own or attribute}"
        fields = {name: pattern.format(key) for name, pattern in by_key.items()}
        complete[key] = replace(entry, where=where, **fields)
    return complete
