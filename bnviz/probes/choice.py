"""Which probes a snapshot is asked for."""

from __future__ import annotations

from collections.abc import Iterable

from bnviz.config import ConfigError
from bnviz.probes import PROBES
from bnviz.words.phrase import listed, phrase

# None for those on by default, "all", a name or names; () for none.
Probes = Iterable[str] | str | None


def choose_probes(probes: Probes) -> tuple[str, ...]:
    """Names of probes from what `Experiment.snapshot` takes.

    Raises:
        ConfigError: there is no probe of that name.
    """
    if probes is None:
        return tuple(name for name, entry in PROBES.items() if entry.default)
    if probes == "all":
        return tuple(PROBES)
    names = (probes,) if isinstance(probes, str) else tuple(probes)
    for name in names:
        if name not in PROBES:
            raise ConfigError("probes", name, phrase("errors.all_or", names=listed(PROBES)))
    return names
