"""Which lesson a tab shows: what its address says, or what the page has made of it since."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from bnviz.ui.embed import embedded
from bnviz.ui.history import led_here
from bnviz.ui.lessons.visit import Visit, read_visit

STATE = "lesson_address"


@dataclass(frozen=True)
class Address:
    """What a tab knows of its address, the run aside.

    Attributes:
        heard: as the browser said it last.
        shown: as the page has written it since.
    """

    heard: dict[str, str]
    shown: dict[str, str]


def visit_here() -> Visit:
    """What the page is to show now.

    A browser that was led to an address goes on naming it when the page has long written another:
    what it says is a command only where it is new, or where it says that it was led there.
    """
    query = st.query_params.to_dict()
    heard = {name: value for name, value in query.items() if name != "run"}
    known: Address | None = st.session_state.get(STATE)
    if led_here() or known is None or heard not in (known.heard, known.shown):
        known = Address(heard, heard)
        st.session_state[STATE] = known
    asked = known.shown | ({"run": query["run"]} if "run" in query else {})
    return replace(read_visit(asked), embed=embedded())


def go_to(visit: Visit) -> None:
    """Show another visit, and write it into the address: a step that Back takes back."""
    address = visit.address()
    known: Address = st.session_state[STATE]
    st.session_state[STATE] = Address(known.heard, address)
    st.query_params.from_dict(address)
