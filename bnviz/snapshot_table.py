"""Snapshots as a pandas table, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from bnviz.config import ConfigError
from bnviz.records import SCALARS, NetworkRecord, Snapshot, entry_names
from bnviz.snapshot_order import in_order
from bnviz.words.phrase import one_of


def table(
    snapshots: Snapshot | Iterable[Snapshot], *, values: Iterable[str] | str = ()
) -> pd.DataFrame:
    """Return the measured numbers of one run's snapshots, with one row per step and network.

    Rows ascend by step. If two snapshots have the same step, the rows are those of the later one.
    The columns are the step, the norm of the network, its state and numbers, its break (step, layer
    and reason, missing without a break), and each value of a probe that is a single number, such as
    `sharpness.lambda_max`. The CSV exports of runs and sweeps have the same names.

        snapshots = list(bnviz.run(bnviz.RunConfig(), steps=100, every=10))
        losses = bnviz.table(snapshots).pivot(index="step", columns="norm", values="loss")

    Args:
        values: Probe values with several numbers, such as `jacobian.percentiles`. Each number has
            its own column, such as `jacobian.percentiles:0,1`.

    Raises:
        ConfigError: If `snapshots` is empty or has snapshots of several runs, or a value was not
            measured.
    """
    given = in_order(snapshots)
    wanted = (
        tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else (values,)
    )
    records = [record for one in given for record in one.networks.values()]
    measured = dict.fromkeys(name for record in records for name in _measured(record))
    for name in wanted:
        if not isinstance(name, str) or name not in measured:
            raise ConfigError("values", name, one_of(measured))
    rows = [
        {"step": one.step, "norm": norm, **_scalars(record), **_probed(record, wanted)}
        for one in given for norm, record in one.networks.items()
    ]  # fmt: skip
    # Without this type, a column with missing steps would have floats.
    return pd.DataFrame(rows).astype({"break_step": "Int64"})


def _scalars(record: NetworkRecord) -> dict[str, Any]:
    broke = record.broke
    return {
        "state": record.state,
        **{name: getattr(record, name) for name in SCALARS},
        "break_step": broke and broke.step,
        "break_layer": broke and broke.layer,
        "break_reason": broke and broke.key,
    }


def _measured(record: NetworkRecord) -> Iterator[str]:
    """Yield the names of a record's probe values."""
    return (f"{probe}.{value}" for probe, found in record.probes.items() for value in found)


def _probed(record: NetworkRecord, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Return the wanted probe values, and all that are single numbers."""
    cells: dict[str, Any] = {}
    for probe, found in record.probes.items():
        for value, array in found.items():
            name = f"{probe}.{value}"
            if array.ndim == 0:
                cells[name] = array.item()
            elif name in wanted:
                cells |= zip(entry_names(name, array.shape), array.ravel().tolist(), strict=True)
    return cells
