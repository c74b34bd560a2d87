"""Report data of a run: its settings and the lab's part (assets/live/dialogs/report.js)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnviz.config import KNOBS, RunConfig
from bnviz.ui.knobs import choice_words, format_number
from bnviz.ui.lab_query import LabQuery
from bnviz.ui.sitemap import lab_address, page_address
from bnviz.ui.tab_run import TabRun
from bnviz.words.joining import in_list, labelled
from bnviz.words.texts import texts


def lab_report(run: TabRun, initial: RunConfig) -> dict[str, Any]:
    """Data of the lab for a report: title, link to the initial settings, and changed settings."""
    query = lab_setting(run.query)
    return {
        "title": texts("presets")[query.preset]["label"], "name": "lab",
        "link": lab_address(query.to_query(initial, None)), "collect": collect_address(),
        "setting": setting_lines(initial, query.defaults(initial)),
    }  # fmt: skip


def collect_address() -> str:
    """Address of the page that runs submitted reports again."""
    return page_address("lessons", {"lesson": "collect"})


def lab_setting(query: LabQuery) -> LabQuery:
    """Reduce a lab's query to its settings, without charts, talk or presentation view."""
    return LabQuery(query.config, preset=query.preset)


def setting_lines(config: RunConfig, usual: Mapping[str, Any]) -> list[str]:
    """Knobs other than the device that differ from `usual`, with their values."""
    return [
        labelled(KNOBS[name].label, knob_text(name, getattr(config, name)))
        for name in KNOBS
        if name != "device" and getattr(config, name) != usual[name]
    ]


def knob_text(name: str, value: object) -> str:
    choices = choice_words()
    if name == "norms" and isinstance(value, tuple):
        return in_list(network_name(norm) for norm in value)
    if isinstance(value, bool):
        return choices["on" if value else "off"]
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, tuple):
        return in_list(knob_text("", part) for part in value)
    return "–" if value is None else choices.get(str(value), str(value))


def network_name(norm: str) -> str:
    """Name of a norm's network, or `norm` itself if a file contains an unknown norm."""
    words = texts("norms")
    return str(words[norm]["network"]) if norm in words else norm
