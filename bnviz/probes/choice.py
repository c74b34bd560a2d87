"""Selection of the probes for a snapshot."""

from __future__ import annotations

from collections.abc import Iterable

from bnviz.config import ConfigError
from bnviz.probes import PROBES
from bnviz.words.phrase import listed, phrase

# Selection of probes: one name, several names, "all", None for the default probes, or () for no
# probes.
Probes = Iterable[str] | str | None


def choose_probes(probes: Probes) -> tuple[str, ...]:
    """Return the names of the selected probes, or raise `ConfigError` for an unknown name."""
    if probes is None:
        return tuple(name for name, entry in PROBES.items() if entry.default)
    if probes == "all":
        return tuple(PROBES)
    names = (probes,) if isinstance(probes, str) else tuple(probes)
    for name in names:
        if name not in PROBES:
            raise ConfigError("probes", name, phrase("errors.all_or", names=listed(PROBES)))
    return names
