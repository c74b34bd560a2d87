"""The rows that were measured, by the names that addresses have for them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from bnviz.claims import results
from bnviz.claims.results import Experiment, Results, Row
from bnviz.config import RunConfig
from bnviz.words.texts import current_language, texts

Worded = TypeVar("Worded", Experiment, Row)


# What a person reads of an experiment and of a row; numbers are the same in every language.
EXPERIMENT_WORDS = ("label", "help", "source", "note")
ROW_WORDS = (
    "text", "lead", "setting", "quantity", "source", "changed", "expected", "comparator",
    "no_query",
)  # fmt: skip


def measured() -> Results:
    """What was measured of all claims, in the language that is spoken; read once in each."""
    return _measured(current_language())


@functools.cache
def _measured(spoken: str) -> Results:
    """The file's words are English; another language lays its own over them, as far as it has."""
    found = results.read(results.FILE)
    said = texts("claims_rows", spoken)
    experiments = (
        _said(each, EXPERIMENT_WORDS, said.get(each.name, {})).model_copy(
            update={"rows": tuple(_said(row, ROW_WORDS, _of(said, each, row)) for row in each.rows)}
        )
        for each in found.experiments
    )
    return found.model_copy(update={"experiments": tuple(experiments)})


def _of(said: Mapping[str, Any], experiment: Experiment, row: Row) -> Mapping[str, str]:
    words: Mapping[str, str] = said.get(experiment.name, {}).get(row.key, {})
    return words


def _said(plain: Worded, fields: tuple[str, ...], words: Mapping[str, Any]) -> Worded:
    """The same in other words, where there are some."""
    return plain.model_copy(update={name: words[name] for name in fields if name in words})


def name_of(experiment: Experiment, row: Row) -> str:
    """A row's name, which stays when statements are added before it: E6.relu-batch."""
    return f"{experiment.name}.{row.key}"


def watchable() -> Mapping[str, Row]:
    """The rows that the lab can show, by name."""
    return _watchable(current_language())


@functools.cache
def _watchable(spoken: str) -> Mapping[str, Row]:
    return MappingProxyType({
        name_of(experiment, row): row
        for experiment in _measured(spoken).experiments
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
