"""Home page: two networks in training, a learning-rate slider, and links.

An address such as `?replay=46:0.5~47:1.5,120:0.1` replays changes of the slider. Each pair is a
step and the learning rate from that step on; `~` joins the pairs of one drag. The run starts at
step 0 and is repeated exactly.
"""

from __future__ import annotations

import re
from dataclasses import replace

import streamlit as st

from bnviz.config import ConfigError, RunConfig
from bnviz.lessons.words import Filling
from bnviz.planned_runs.plan import (
    MOST_PLANNED_CHANGES,
    REPEAT_AFTER_CHANGE,
    REPEAT_RATES,
    Plan,
)
from bnviz.records import Change
from bnviz.ui.chart_templates import HOME_CHARTS
from bnviz.ui.embed import embedded
from bnviz.ui.html import answer, tag
from bnviz.ui.lessons.words import line_html
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.navigation import page_link
from bnviz.ui.tab_run import open_page_run
from bnviz.ui.talks import talk_links
from bnviz.words.phrase import error_text
from bnviz.words.texts import Words, texts

REPLAY = "replay"
# Last step at which a replay may change the learning rate.
MOST_STEP = 10_000
PAIR = re.compile(r"([0-9]{1,6}):([0-9.]{1,20}(?:e-?[0-9]{1,2})?)", re.ASCII)
# Maximum number of characters of an invalid value that an error message quotes.
LONGEST = 40

# The run is slow after the start and after each change. At its last step it pauses until the
# visitor changes the learning rate.
PLAN = Plan(rates=REPEAT_RATES, last_step=600, from_change=True)
# Steps per second of a replay before its first change.
RUN_UP = 300.0
# Linked pages, from left to right.
DOORS = ("lessons", "lab", "map")


def draw_home() -> None:
    words = texts("home")
    changes, wrong = read_replay()
    # In a frame of another site, the slider is disabled, so the title does not mention it.
    title = words["title_embedded" if embedded() else "title_replay" if changes else "title"]
    if changes:
        title = title.format(step=changes[0].step)
    replay = {
        "title": words["title"],
        "changes": [[change.step, change.values["learning_rate"]] for change in changes],
    }
    if wrong:
        st.html(answer(wrong))
    name = f"home {changes}" if changes else "home"  # pages with equal changes share one run
    run = open_page_run(name, RunConfig(), plan=_plan(changes), hide=("edge",))
    view = LiveViewSpec(
        key="home", layout="home", charts=tuple((name, "full") for name in HOME_CHARTS),
        parts=("transport", "band", "timeline", "prompt"), labels=words["networks"],
        label_keys={norm: f"home.networks.{norm}" for norm in words["networks"]},
        heading=(title,), painted_waits=True,
        replay=replay if changes and not embedded() else None,
    )  # fmt: skip
    mount_live_view(run, view)
    if run.view_drawn and not embedded():
        _draw_links(words)


def read_replay() -> tuple[tuple[Change, ...], str]:
    """Return the changes to replay and an error message; at least one of them is empty."""
    text = st.query_params.get(REPLAY)
    if text is None:
        return (), ""
    changes = []
    for number, gesture in enumerate(text.split(","), 1):
        pairs = gesture.split("~")
        for pair in pairs:
            found = PAIR.fullmatch(pair)
            if found is None:
                return (), _wrong(pair)
            try:
                step, rate = int(found[1]), float(found[2])
                RunConfig(learning_rate=rate)
            except ConfigError as error:
                return (), error_text(error)
            except ValueError:  # such as 1.2.3
                return (), _wrong(pair)
            drag = number if len(pairs) > 1 else 0
            changes.append(Change(step, {"learning_rate": rate}, drag))
    steps = [change.step for change in changes]
    if steps != sorted(set(steps)) or steps[-1] > MOST_STEP or len(steps) > MOST_PLANNED_CHANGES:
        return (), _wrong(text)
    return tuple(changes), ""


def _wrong(given: str) -> str:
    short = given if len(given) <= LONGEST else f"{given[:LONGEST]}…"
    return texts("home")["replay"].format(
        name=REPLAY, given=short, most=MOST_PLANNED_CHANGES, last=MOST_STEP
    )


def _plan(changes: tuple[Change, ...]) -> Plan:
    if not changes:
        return PLAN
    last = max(PLAN.last_step, changes[-1].step + REPEAT_AFTER_CHANGE)
    return replace(PLAN, changes=changes, last_step=last, run_up=RUN_UP, yields=True)


def _draw_links(words: Words) -> None:
    ways = {name: page_link(name, words["doors"][name]["title"]) for name in DOORS}
    links = [tag("span", way, " ", words["doors"][name]["text"]) for name, way in ways.items()]
    teachers = page_link("lab", words["teachers"], {"present": "1", "paused": "1"})
    st.html(tag("p", *links, teachers, class_="bnviz-doors"))
    foot = tag("p", line_html(Filling().sentence(words["what"])), " ", words["foot"])
    own = page_link("talks", texts("talks")["page"]["link"])
    st.html(
        tag(
            "div", foot, talk_links(), tag("p", own, class_="bnviz-talks"), class_="bnviz-home-foot"
        )
    )
