"""Why a page's script runs: because the visitor moved to its address, or used something on it.

Streamlit's query parameters alone do not tell: after a move a browser goes on sending the address
to which it was led, also when the page has written another one since.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bnviz.ui.language import carried
from bnviz.ui.query_schema import Query

# Keys in the tab's session: the page that was drawn last, and whether its script has yet to be told
# that another one was drawn before.
PAGE, ARRIVED = "page", "arrived"
# Queries that a page has written of which a browser may still send one.
MOST_WRITTEN = 20


def arrive(path: str) -> None:
    """Note that the page at a path is drawn now."""
    if st.session_state.get(PAGE) != path:
        st.session_state[PAGE], st.session_state[ARRIVED] = path, True


def arrived() -> bool:
    """Whether the visitor came from another page, and no script has called `led_here` since."""
    return bool(st.session_state.get(ARRIVED))


def led_here() -> bool:
    """Whether Back, Forward or a link led the visitor to the address; a script asks once.

    A script that the next one cuts short may not have asked; then the next one is told.
    """
    came = bool(st.session_state.pop(ARRIVED, False))
    context = get_script_run_ctx(suppress_warning=True)
    return came or (context is not None and context.is_history_navigation)


def asked_query() -> Query:
    """The query of the address that the browser shows."""
    address = st.query_params
    return Query((name, text) for name in address for text in address.get_all(name))


class WrittenQueries:
    """The queries of a page that are no command when its browser sends them.

    They are the one to which the browser was led, and those that the page has written since: while
    a written query is on its way to the browser, the browser still sends the one before.
    """

    def __init__(self, led_to: dict[str, str]) -> None:
        self._all = [led_to]

    @property
    def newest(self) -> dict[str, str]:
        """The query that was written last, or the first one."""
        return self._all[-1]

    def write(self, query: dict[str, str]) -> None:
        """Write a query into the page's address: Back leads to the one before.

        Of those that were written the oldest are forgotten, but never the first of all.
        """
        led_to, *written = self._all
        address = query | carried()
        self._all = [led_to, *written[1 - MOST_WRITTEN :], address]
        st.query_params.from_dict(address)

    def __contains__(self, query: dict[str, str]) -> bool:
        return query in self._all


def browser_query() -> str:
    """The query with which the browser ran this script, as it sent it, without question mark."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else str(context.query_string)
