"""The page of the map."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bnviz.config import RunConfig
from bnviz.live import LiveError, current_hub
from bnviz.phrase import told
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.texts import texts
from bnviz.ui.claims.html import tag
from bnviz.ui.embed import embedded
from bnviz.ui.lab import owner
from bnviz.ui.map.card import draw_card, outcomes
from bnviz.ui.map.controls import Controls
from bnviz.ui.map.desk import desk_here
from bnviz.ui.map.mounting import mount_map
from bnviz.ui.navigation import navigate
from bnviz.ui.places import MAP, ROOT


def draw_map() -> None:
    """Draw the map that the address asks for, what is asked of it beside it."""
    desk, words = desk_here(), texts("map")["page"]
    navigate(MAP)
    key, notices = "", list(desk.notices)
    done: Mapping[Cell, Outcome] = {}
    hub = current_hub()
    try:
        wanted = desk.stopped != desk.setting.key and not desk.follows
        key = hub.maps.open(owner(), desk.setting, replaces=desk.key, wanted=wanted)
        desk.key = key
        done = hub.maps.outcomes(key)
    except LiveError as error:
        notices.append(told(error))
    for notice in () if desk.visit.present else notices:
        st.html(tag("p", notice, class_="bnviz-answer", role="status"))
    found = outcomes(desk, done)
    st.html(ROOT / "assets" / "map_card.css")
    with st.container(key="map_desk"):
        plane, run = st.columns(2)
    with plane:
        mount_map(
            desk, key, len(found) - found.count(None), notices if desk.visit.present else ()
        )  # fmt: skip
    with run:
        draw_card(desk, done)
    if embedded():
        return
    with st.sidebar:
        with st.container(key="page_title"):
            st.markdown(f"**{words['title']}**\n\n{words['intro']}")
            here, lab = desk.setting.config.width, RunConfig().width
            if here != lab:
                st.markdown(words["lab"].format(width=here, lab=lab))
        Controls(desk).draw()
