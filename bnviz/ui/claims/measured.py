"""The rows that were measured, by the names that addresses have for them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

from bnviz.claims import results
from bnviz.claims.results import Experiment, Results, Row
from bnviz.config import RunConfig


@functools.cache
def measured() -> Results:
    """What was measured of all claims, read once."""
    return results.read(results.FILE)


def name_of(experiment: Experiment, row: Row) -> str:
    """A row's name, which stays when statements are added before it: E6.relu-batch."""
    return f"{experiment.name}.{row.key}"


@functools.cache
def watchable() -> Mapping[str, Row]:
    """The rows that the lab can show, by name."""
    return MappingProxyType({
        name_of(experiment, row): row
        for experiment in measured().experiments
        for row in experiment.rows
        if row.query is not None
    })  # fmt: skip


def charts_of(row: Row) -> tuple[str, ...]:
    """The charts in which the lab shows a row."""
    charts = (row.query or {}).get("charts", "")
    return tuple(charts.split(",")) if charts else ()


def setting_of(row: Row) -> RunConfig:
    """The setting in which the lab shows a row."""
    query = {name: value for name, value in (row.query or {}).items() if name != "charts"}
    return RunConfig.from_query(query)
