"""Reason for a script run: navigation to the page, or use of a control on it.

Streamlit's query parameters do not show the difference: a browser keeps sending the query that it
navigated to, even after the page has written another query to its address.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bnviz.ui.language import carried
from bnviz.ui.query_schema import Query

# Session-state keys: the path of the page drawn last, and a flag that is set when the page changes
# and cleared by `led_here`.
PAGE, ARRIVED = "page", "arrived"
# Maximum number of remembered queries that a page has written, because a browser may still send
# them.
MOST_WRITTEN = 20


def arrive(path: str) -> None:
    """Record the page that is being drawn."""
    if st.session_state.get(PAGE) != path:
        st.session_state[PAGE], st.session_state[ARRIVED] = path, True


def arrived() -> bool:
    """Return whether the visitor came from another page and `led_here` has not been called yet."""
    return bool(st.session_state.get(ARRIVED))


def led_here() -> bool:
    """Return whether Back, Forward or a link led here, and reset the flag of `arrived`."""
    came = bool(st.session_state.pop(ARRIVED, False))
    context = get_script_run_ctx(suppress_warning=True)
    return came or (context is not None and context.is_history_navigation)


def asked_query() -> Query:
    address = st.query_params
    return Query((name, text) for name in address for text in address.get_all(name))


class WrittenQueries:
    """Queries that change nothing when the browser sends them without navigation.

    These are the query that the visitor navigated to, and the latest queries that the page wrote.
    Until a written query reaches the browser, the browser still sends the previous one.
    """

    def __init__(self, led_to: dict[str, str]) -> None:
        self._all = [led_to]

    @property
    def newest(self) -> dict[str, str]:
        return self._all[-1]

    def write(self, query: dict[str, str]) -> None:
        """Write a query to the address, so that Back returns to the previous query."""
        led_to, *written = self._all
        address = query | carried()
        self._all = [led_to, *written[1 - MOST_WRITTEN :], address]
        st.query_params.from_dict(address)

    def __contains__(self, query: dict[str, str]) -> bool:
        return query in self._all


def browser_query() -> str:
    """Query string that the browser sent with this script run, without the question mark."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else str(context.query_string)
