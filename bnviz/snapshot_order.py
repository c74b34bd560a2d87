"""Order of the snapshots of one run, for charts and tables."""

from __future__ import annotations

from collections.abc import Iterable

from bnviz.config import ConfigError
from bnviz.records import Snapshot
from bnviz.words.phrase import phrase


def in_order(snapshots: Snapshot | Iterable[Snapshot]) -> list[Snapshot]:
    """Return the snapshots of one run, ascending by step; a later snapshot of a step replaces an
    earlier one.

    Raises:
        ConfigError: If there is no snapshot, or the snapshots are of several runs.
    """
    given = list(snapshots) if isinstance(snapshots, Iterable) else [snapshots]
    runs = {one.config if isinstance(one, Snapshot) else None for one in given}
    if len(runs) != 1 or None in runs:
        wrong = given if isinstance(snapshots, Iterable) else snapshots
        raise ConfigError("snapshots", wrong, phrase("errors.snapshots"))
    by_step = {one.step: one for one in given}
    return [by_step[step] for step in sorted(by_step)]
