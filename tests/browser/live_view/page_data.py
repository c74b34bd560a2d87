"""Data that a page's script passes to the live view, built without Streamlit."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from bnviz.actions import SCALE_WEIGHTS
from bnviz.charts.theme import theme
from bnviz.config import KNOBS, LIVE_KNOBS, RunConfig
from bnviz.data import DATASETS
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.web.assets import VERSION
from bnviz.live.web.templates import Templates, offer, pack
from bnviz.ui.knobs import LADDERS, PAGE_KEY_RUNGS, live_choices, phrase_texts
from bnviz.words.texts import of_each, texts
from tests.charts.conftest import make_chart

RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
LABELS = {"none": "without BN", "batch": "with BN", "layer": "with layer norm"}

# Counter that gives each page its own templates, so that no page uses cached ones.
SETS = itertools.count()


def templates(config: RunConfig, names: Iterable[str], more: Iterable[str] = ()) -> Templates:
    groups = {"main": names, "more": more}
    charts = {
        group: [make_chart(name, config).to_json() for name in chosen]
        for group, chosen in groups.items()
    }
    return pack({**charts, "number": next(SETS)})


def page_data(config: RunConfig, names: Iterable[str], more: Iterable[str] = ()) -> dict[str, Any]:
    """Return the data for mounting a live view with the charts `names`."""
    styles = theme(False).networks(config.norms)
    return {
        "base": "", "version": VERSION, "wire": WIRE_VERSION,
        "charts_ids": {"0": offer(templates(config, names, more))},
        "texts": {**texts(name="live"), "probe": of_each("probes", "short"),
                  "story": {**texts("story"), "knob": of_each("knobs", "said")},
                  "action": texts("knobs")[SCALE_WEIGHTS],
                  "choice": live_choices(),
                  "class": texts(name="class"),
                  **phrase_texts()},
        "config": config.model_dump(), "initial": config.model_dump(),
        "norms": list(config.norms), "labels": {norm: LABELS[norm] for norm in config.norms},
        "colours": {
            norm: {"line": style.line, "text": style.text, "dash": style.dash}
            for norm, style in styles.items()
        },
        "can_control": True, "pace": "watch", "present": False, "paused_question": False,
        "hide": [], "knobs": knobs_of(config), "notices": [], "report_steps": [],
        "picture_knobs": [],
        "knob_labels": {name: knob.label for name, knob in KNOBS.items()},
        "browser_query": "", "read": "", "entry": 0,
        "command": "python -m bnviz train", "query": {"depth": "3"}, "dark": False,
        "chance": 1 / DATASETS[config.dataset].classes, "question": None,
    }  # fmt: skip


def knobs_of(config: RunConfig, *shown: str) -> dict[str, Any]:
    """Return the page script's data for the live knobs, with a short ladder of learning rates."""
    values = {name: getattr(config, name) for name in LIVE_KNOBS}
    rungs = {**LADDERS, "learning_rate": RATES}
    return {
        "values": values, "unsaid": values, "shown": list(shown or ["learning_rate"]),
        "specs": {
            name: {
                "label": KNOBS[name].label, "help": KNOBS[name].help,
                "allowed": KNOBS[name].allowed, "rungs": list(rungs[name]),
                "page": PAGE_KEY_RUNGS[name], "home": values[name], "homes": None,
                "edge": name == "learning_rate",
            }
            for name in PAGE_KEY_RUNGS
        },
    }  # fmt: skip
