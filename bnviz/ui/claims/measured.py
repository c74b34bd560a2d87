"""Rows of measured claims, by the names that page addresses use."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

from bnviz.claims import results
from bnviz.claims.results import Results, Row
from bnviz.config import RunConfig
from bnviz.ui.sitemap import lab_address


@functools.cache
def measured() -> Results:
    return results.read(results.FILE)


@functools.cache
def claims_in_lab() -> Mapping[str, Row]:
    """Rows that the lab can show, by name, such as E6.relu-batch."""
    return MappingProxyType({row.name: row for row in measured().rows if row.watch is not None})


def claim_address_in_lab(row: Row) -> str:
    return lab_address({"claim": row.name, **row.query})


def charts_of(row: Row) -> tuple[str, ...]:
    charts = row.query.get("charts", "")
    return tuple(charts.split(",")) if charts else ()


def setting_of(row: Row) -> RunConfig:
    query = {name: value for name, value in row.query.items() if name != "charts"}
    return RunConfig.from_query(query)
