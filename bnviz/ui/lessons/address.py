"""Which lesson a tab shows: what its address says, or what the page has made of it since."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from bnviz.ui.embed import embedded
from bnviz.ui.history import Named, led_here
from bnviz.ui.lessons.visit import Visit, read_visit

STATE = "lesson_address"


def visit_here() -> Visit:
    """What the page is to show now: what its address says, the run aside, is a command only where
    it is new, or where the browser says that it was led there.
    """
    query = st.query_params.to_dict()
    heard = {name: value for name, value in query.items() if name != "run"}
    known: Named | None = st.session_state.get(STATE)
    if led_here() or known is None or heard not in known:
        known = Named(heard)
        st.session_state[STATE] = known
    asked = known.shown | ({"run": query["run"]} if "run" in query else {})
    return replace(read_visit(asked), embed=embedded())


def go_to(visit: Visit) -> None:
    """Show another visit, and write it into the address: a step that Back takes back."""
    address = visit.address()
    known: Named = st.session_state[STATE]
    known.write(address)
    st.query_params.from_dict(address)
