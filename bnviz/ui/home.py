"""The home page: two networks at work, one slider that acts while it is dragged, ways on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from bnviz.config import RunConfig
from bnviz.plan import Plan
from bnviz.records import Change
from bnviz.started_rates import parts, started_rates
from bnviz.texts import texts
from bnviz.ui.blocks import View, mount_live_view, open_block
from bnviz.ui.chart_templates import prepare_charts
from bnviz.ui.claims.html import joined, tag
from bnviz.ui.embed import embedded
from bnviz.ui.navigation import page_link
from bnviz.ui.replay import read_replay
from bnviz.ui.talk_links import talk_links

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
    lab = open_block(_block(changes), RunConfig(), plan=_plan(changes), hide=("edge",))
    view = View(
        key="home", layout="home", charts=tuple((name, "full") for name in CHARTS),
        parts=("transport", "headlines", "game"), labels=words["networks"],
        heading=(title, words["what"]), knob_specs={"learning_rate": _rate(words)},
        replay=replay if changes and not embedded() else None,
    )  # fmt: skip
    mount_live_view(lab, view)
    if lab.drawn and not embedded():
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
    for part in parts(found):
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
