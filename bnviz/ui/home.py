"""The home page: two networks at work, one slider that acts while it is dragged, three doors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from bnviz.config import RunConfig
from bnviz.live.web.assets_route import VERSION
from bnviz.plan import Plan
from bnviz.texts import texts
from bnviz.ui.blocks import View, mount_live_view, open_block
from bnviz.ui.chart_templates import prepare_charts
from bnviz.ui.claims.html import joined, tag
from bnviz.ui.embed import embedded
from bnviz.ui.language import carried
from bnviz.ui.navigation import page_link
from bnviz.ui.places import PAGES, base_path
from bnviz.ui.talk_links import talk_links

NAME = "home"
# Slow where something has just begun or changed; at its last step the run waits for the next hand.
PLAN = Plan(rates=((50, 10.0), (200, 30.0), (600, 60.0)), last_step=600, from_change=True)
CHARTS = ("hills", "loss")
# The pages that the doors lead to, from left to right.
DOORS = ("lessons", "lab", "map")


def draw_home() -> None:
    """Draw the page below its navigation."""
    words = texts(name="home")
    # In a frame there is nothing to drag.
    title = words["title"].partition("\n")[0] if embedded() else words["title"]
    lab = open_block(NAME, RunConfig(), plan=PLAN, hide=("edge",))
    view = View(
        key="home", layout="home", charts=tuple((name, "full") for name in CHARTS),
        parts=("transport", "headlines", "game"), labels=words["networks"],
        heading=(title, words["what"]),
    )  # fmt: skip
    mount_live_view(lab, view)
    if lab.drawn and not embedded():
        _doors(words)


def prepare_home() -> None:
    """Make its charts before the first visitor has come."""
    prepare_charts(CHARTS)


def _doors(words: Mapping[str, Any]) -> None:
    """The ways on; each card is one link, which keeps the session."""
    for column, name in zip(st.columns(len(DOORS)), DOORS, strict=True):
        with column, st.container(key=f"door_{name}"):
            door = words["doors"][name]
            picture = tag("img", src=f"{base_path()}/assets/{VERSION}/doors/{name}.svg", alt="")
            heading, text = tag("h2", door["title"]), tag("p", door["text"])
            st.html(tag("div", picture, heading, text, class_="bnviz-door"))
            st.page_link(PAGES[name].script, label=f"**{door['link']}**", query_params=carried())
    st.html(talk_links())
    teachers = page_link("lab", words["teachers"], {"present": "1", "paused": "1"})
    foot = joined(tag("span", f"{words['foot']} "), teachers)
    st.html(tag("p", foot, class_="bnviz-home-foot"))
