"""Addresses that mean the lab but name the root, where they come up without a request.

Those that a browser asks the server for are answered before a page is sent
(`bnviz.live.web.old_addresses`); these were reached from within a page, as by Back.
"""

from __future__ import annotations

import streamlit as st

from bnviz.texts import texts
from bnviz.ui.claims.html import tag
from bnviz.ui.places import LAB
from bnviz.ui.query import unknown_names, wants_lab


def lead_to_lab() -> None:
    """Go on to the lab where the address means it."""
    query = st.query_params.to_dict()
    if wants_lab(query):
        st.switch_page(LAB, query_params=query)


def answer_unknown(*known: str) -> None:
    """A sentence on what the address names that this page does not read.

    Args:
        known: what it reads besides what every page does.
    """
    names = unknown_names(st.query_params.to_dict(), known)
    if names:
        said = texts(name="navigation")["unknown"].format(names=", ".join(names))
        st.html(tag("p", said, class_="bnviz-answer", role="status"))
