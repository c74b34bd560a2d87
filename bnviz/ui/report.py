"""What a report says of its run's setting; and the lab's part of a report.

The report itself is made in the browser (assets/live/dialogs/report.js), from this and from what
the live view knows of the run.
"""

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
    """The lab's part of a report: its title, the link to its setting, and where that differs.

    Args:
        run: of the lab.
        initial: the knobs with which it began.
    """
    query = lab_setting(run.query)
    return {
        "title": texts("presets")[query.preset]["label"], "name": "lab",
        "link": lab_address(query.to_query(initial, None)), "collect": collect_address(),
        "setting": setting_lines(initial, query.defaults(initial)),
    }  # fmt: skip


def collect_address() -> str:
    """The page on which what was handed in is run again."""
    return page_address("lessons", {"lesson": "collect"})


def lab_setting(query: LabQuery) -> LabQuery:
    """A lab's query with its setting alone: no charts, no talk, no stage."""
    return LabQuery(query.config, preset=query.preset)


def setting_lines(config: RunConfig, usual: Mapping[str, Any]) -> list[str]:
    """Each knob that is not as usual, with its value; the seed too.

    Args:
        config: the setting.
        usual: the value of every knob that needs no word.
    """
    return [
        labelled(KNOBS[name].label, knob_text(name, getattr(config, name)))
        for name in KNOBS
        if name != "device" and getattr(config, name) != usual[name]
    ]


def knob_text(name: str, value: object) -> str:
    """A knob's value as a person reads it."""
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
    """The name of a network, also of one that a file invents."""
    words = texts("norms")
    return str(words[norm]["network"]) if norm in words else norm
