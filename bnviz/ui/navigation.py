"""The row of links between the pages, the same on each of them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from bnviz.texts import texts
from bnviz.ui.places import ABOUT, CLAIMS, LAB

PAGES = {"lab": LAB, "claims": CLAIMS, "about": ABOUT}


def navigate(here: Path) -> None:
    """Draw the links; they keep the session, and with it the lab's run.

    Args:
        here: the page on which they stand.
    """
    words = texts(name="navigation")
    with st.container(key="navigation", horizontal=True):
        for name, page in PAGES.items():
            st.page_link(page, label=f"**{words[name]}**" if page == here else words[name])
