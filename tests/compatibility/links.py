"""Compatibility of page addresses: the values that the current code reads from an address, and the
address that it then writes.

Only this module imports the functions with which pages read an address. It maps their results to
the fixed names in `surface.json`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock
from urllib.parse import parse_qsl, urlsplit

import streamlit as st

from bnviz.config import RunConfig
from bnviz.lessons import LESSONS
from bnviz.records import Change
from bnviz.sweeps.setting import Span
from bnviz.ui import embed
from bnviz.ui.home import read_replay
from bnviz.ui.lab_query import read_lab_query
from bnviz.ui.lessons.query import read_lesson_query
from bnviz.ui.map.query import read_map_query
from bnviz.ui.map.tab_map import open_map

Query = Mapping[str, str]
Read = dict[str, Any]

SAME = "the same"


def read(address: str) -> Read:
    """Return the parameters that a page reads from an address. Leave out absent parameters."""
    found, _ = _by_page(address)
    return {name: value for name, value in found.items() if not _absent(value)}


def written(address: str) -> dict[str, str] | str:
    """Return the query that a page writes after it has been opened at this address."""
    _, query = _by_page(address)
    return SAME if query == _query(address) else query


def framed(address: str) -> bool:
    """Return whether the page at an address is embedded in a frame of another site."""
    query = urlsplit(address).query
    with mock.patch.object(embed, "browser_query", return_value=query):  # there is no browser
        return embed.embedded()


def watching(address: str) -> bool:
    """Return whether a map page only follows the map of a teacher."""
    try:
        return _in_the_address(_query(address), open_map).follows
    finally:
        st.session_state.clear()


def _by_page(address: str) -> tuple[Read, dict[str, str]]:
    return PAGES[urlsplit(address).path](_query(address))


def _query(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


def _absent(value: Any) -> bool:
    return value is None or value is False or (hasattr(value, "__len__") and not len(value))


def _knobs(config: RunConfig) -> Read:
    """Return the knobs that differ from the defaults."""
    plain = RunConfig().model_dump()
    return {name: value for name, value in config.model_dump().items() if value != plain[name]}


def _change(change: Change) -> list[Any]:
    return [change.step, dict(change.values), *([change.drag] if change.drag else [])]


def _span(span: Span) -> list[Any]:
    return [span.knob, span.low, span.high, span.count]


def _problems(problems: Any) -> list[str]:
    """Return the text keys of the problems."""
    return [key for key, _ in problems]


def _lab(query: Query) -> tuple[Read, dict[str, str]]:
    page = read_lab_query(query)
    found = {
        "knobs": _knobs(page.config), "run": page.run, "preset": page.preset, "at": page.at,
        "present": page.present, "paused": page.paused, "hide": page.hide, "charts": page.charts,
        "claim": page.claim, "talk": page.talk, "station": page.station,
        "from step": page.from_step, "changes": list(map(_change, page.changes)),
        "steps": page.steps, "problems": _problems(page.problems),
    }  # fmt: skip
    return found, {**page.to_query(page.config, page.run), **page.again}


def _lesson(query: Query) -> tuple[Read, dict[str, str]]:
    page = read_lesson_query(query)
    lesson = LESSONS[page.name].lesson if page.name else None
    found = {
        "lesson": page.name, "beat": page.beat, "guess": page.guess, "seed": page.seed,
        "break": page.broken, "own knobs": dict(page.knobs), "run": page.run,
        "present": page.present, "hide": page.hide, "stop": page.stop, "print": page.printed,
        "account": page.account, "because": page.because, "problems": _problems(page.problems),
    }  # fmt: skip
    if lesson is not None:
        config, plan = page.setting(lesson)
        found |= {"knobs": _knobs(config), "last step": plan.last_step}
    return found, page.to_query()


def _map(query: Query) -> tuple[Read, dict[str, str]]:
    page = read_map_query(query)
    setting = page.setting
    found = {
        "knobs": _knobs(setting.config), "across": _span(setting.across), "up": _span(setting.up),
        "steps": setting.steps, "seeds": setting.seeds, "equal": setting.equal,
        "zooms": [list(map(_span, pair)) for pair in page.zooms], "colour": page.colour,
        "cell": page.cell, "present": page.present, "problems": len(page.problems) or None,
    }  # fmt: skip
    return found, page.to_query()


def _home(query: Query) -> tuple[Read, dict[str, str]]:
    changes, wrong = _in_the_address(query, read_replay)
    return {"replay": list(map(_change, changes)), "problems": bool(wrong)}, {}


def _in_the_address(query: Query, call: Callable[[], Any]) -> Any:
    """Call a function that reads Streamlit's query parameters, outside of a page."""
    logging.disable(logging.WARNING)  # Streamlit warns that no page is running
    st.query_params.from_dict(query)
    try:
        return call()
    finally:
        st.query_params.clear()
        logging.disable(logging.NOTSET)


PAGES: dict[str, Callable[[Query], tuple[Read, dict[str, str]]]] = {
    "/": _home, "/lab": _lab, "/lessons": _lesson, "/map": _map,
    "/about": lambda query: ({}, {}),
}  # fmt: skip
