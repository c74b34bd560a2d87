"""The address that shows again what somebody broke: `?replay=46:0.5~47:1.5,120:0.1`.

Each pair is a step and the learning rate from there on; `~` stands between the values of one drag.
The run starts from step 0 and does the same, bit for bit.

The home page: two networks at work, one slider that acts while it is dragged, ways on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from bnviz.config import ConfigError, RunConfig
from bnviz.planned_runs.plan import MOST_CHANGES, Plan
from bnviz.planned_runs.started_rates import rate_spans, started_rates
from bnviz.records import Change
from bnviz.ui.chart_templates import prepare_charts
from bnviz.ui.embed import embedded
from bnviz.ui.html import joined, tag
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.navigation import page_link
from bnviz.ui.tab_run import open_page_run
from bnviz.ui.talks import talk_links
from bnviz.words.phrase import error_text
from bnviz.words.texts import texts

REPLAY = "replay"
# The last step at which such a run may be changed.
MOST_STEP = 10_000
PAIR = re.compile(r"([0-9]{1,6}):([0-9.]{1,20}(?:e-?[0-9]{1,2})?)", re.ASCII)
LONGEST = 40  # letters of a wrong value that are said back


def read_replay() -> tuple[tuple[Change, ...], str]:
    """What the page's address says.

    Returns:
        The changes, and a sentence on what was wrong with them, "" for nothing. There are no
        changes where anything was wrong.
    """
    said = st.query_params.get(REPLAY)
    if said is None:
        return (), ""
    changes = []
    for number, gesture in enumerate(said.split(","), 1):
        pairs = gesture.split("~")
        for pair in pairs:
            found = PAIR.fullmatch(pair)
            if found is None:
                return (), _allowed(pair)
            try:
                step, rate = int(found[1]), float(found[2])
                RunConfig(learning_rate=rate)
            except ConfigError as error:
                return (), error_text(error)
            except ValueError:  # such as 1.2.3
                return (), _allowed(pair)
            drag = number if len(pairs) > 1 else 0
            changes.append(Change(step, {"learning_rate": rate}, drag))
    steps = [change.step for change in changes]
    if steps != sorted(set(steps)) or steps[-1] > MOST_STEP or len(steps) > MOST_CHANGES:
        return (), _allowed(said)
    return tuple(changes), ""


def _allowed(given: str) -> str:
    short = given if len(given) <= LONGEST else f"{given[:LONGEST]}…"
    return texts(name="home")["replay"].format(
        name=REPLAY, given=short, most=MOST_CHANGES, last=MOST_STEP
    )


NAME = "home"
# Slow where something has just begun or changed; at its last step the run waits for the next hand.
PLAN = Plan(rates=((50, 10.0), (200, 30.0), (600, 60.0)), last_step=600, from_change=True)
CHARTS = ("stacks",)
# So many steps are shown after the last change of what somebody broke, and so many a second are
# taken before the first one.
AFTERWARDS, RUN_UP = 200, 300.0
# Decades are what the page keys take at once.
DECADE = 6
# The pages that the ways on lead to, from left to right.
DOORS = ("lessons", "lab", "map")


def draw_home() -> None:
    """Draw the page below its navigation."""
    words = texts(name="home")
    changes, wrong = read_replay()
    # In a frame there is nothing to drag.
    title = words["title_embedded" if embedded() else "title_replay" if changes else "title"]
    if changes:
        title = title.format(step=changes[0].step)
    replay = {
        "title": words["title"],
        "changes": [[change.step, change.values["learning_rate"]] for change in changes],
    }
    if wrong:
        st.html(tag("p", wrong, class_="bnviz-answer", role="status"))
    run = open_page_run(_block(changes), RunConfig(), plan=_plan(changes), hide=("edge",))
    view = LiveViewSpec(
        key="home", layout="home", charts=tuple((name, "full") for name in CHARTS),
        parts=("transport", "headlines", "game"), labels=words["networks"],
        heading=(title, words["what"]), knob_specs={"learning_rate": _rate(words)},
        replay=replay if changes and not embedded() else None,
    )  # fmt: skip
    mount_live_view(run, view)
    if run.view_drawn and not embedded():
        _doors(words)


def prepare_home() -> None:
    """Make its charts before the first visitor has come."""
    prepare_charts(CHARTS)


def _plan(changes: tuple[Change, ...]) -> Plan:
    """The page's schedule, with what somebody did before."""
    if not changes:
        return PLAN
    last = max(PLAN.last_step, changes[-1].step + AFTERWARDS)
    return replace(PLAN, changes=changes, last_step=last, run_up=RUN_UP, yields=True)


def _block(changes: tuple[Change, ...]) -> str:
    """The same address is the same run."""
    said = ",".join(
        f"{change.step}:{change.values['learning_rate']}:{change.drag}" for change in changes
    )
    return f"{NAME} {said}" if said else NAME


def _rate(words: Mapping[str, Any]) -> dict[str, Any]:
    """Home's own rungs, and what its track is painted with."""
    found, said = started_rates(), words["track"]
    painted = []
    for part in rate_spans(found):
        if part.learn is None:
            text = ""
        elif len(part.learn) == len(found["kinds"]):
            text = said["both"]
        elif part.learn:
            text = said[f"only_{part.learn[0]}"]
        else:
            text = said["neither" if part.broke else "slow"]
        painted.append({**part._asdict(), "text": text})
    note = said["note"].format(steps=found["steps"], seeds=found["seeds"])
    return {"rungs": found["rates"], "page": DECADE, "painted": {"parts": painted, "note": note}}


def _doors(words: Mapping[str, Any]) -> None:
    """The ways on, in one quiet line; the links keep the session."""
    ways = (
        tag("span", page_link(name, door["title"]), " ", door["text"])
        for name, door in ((name, words["doors"][name]) for name in DOORS)
    )
    st.html(tag("p", *ways, class_="bnviz-doors"))
    st.html(talk_links())
    teachers = page_link("lab", words["teachers"], {"present": "1", "paused": "1"})
    foot = joined(tag("span", f"{words['foot']} "), teachers)
    st.html(tag("p", foot, class_="bnviz-home-foot"))
