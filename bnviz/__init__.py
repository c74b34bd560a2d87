"""Watch internal covariate shift and batch normalization, live.

from bnviz import RunConfig, figure, run, table
snapshots = list(run(RunConfig(learning_rate=1.0), steps=100))
table(snapshots)
figure("jacobian", snapshots)
"""

from importlib import import_module
from typing import Any

# Version of the release, the only place that states it: the wheel reads it here. A test compares
# CHANGELOG.md and CITATION.cff with it, and LICENSE with the year.
VERSION = "1.0.0rc1"
YEAR = 2026
__version__ = VERSION

# Module of each public name. A module is imported when its name is first used, so that pages never
# load torch.
_HOMES = {
    "RunConfig": "bnviz.config",
    "Experiment": "bnviz.experiment",
    "run": "bnviz.experiment",
    "sweep": "bnviz.sweeps.sweep",
    "figure": "bnviz.charts.figure",
    "table": "bnviz.snapshot_table",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
