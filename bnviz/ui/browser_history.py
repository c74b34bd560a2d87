"""How a page's script came to run: by a move to its address, or for something on the page."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

# In the tab's session: the page that was drawn last, and whether its script has yet to hear that
# there was another one before.
PAGE, ARRIVED = "page", "arrived"
# Addresses that a page has written of which a browser may still name one.
MOST_WRITTEN = 20


def arrive(path: str) -> None:
    """Note which page is drawn now."""
    if st.session_state.get(PAGE) != path:
        st.session_state[PAGE], st.session_state[ARRIVED] = path, True


def arrived() -> bool:
    """Whether the visitor came from another page, and no script has asked `led_here` since."""
    return bool(st.session_state.get(ARRIVED))


def led_here() -> bool:
    """Whether the visitor was led to the address, by a link or by Back; asked once a script.

    A script that was ended early by the next one leaves the question to that one.
    """
    came = bool(st.session_state.pop(ARRIVED, False))
    return _by_history() or came


def _by_history() -> bool:
    """Whether this script runs because Back, Forward or a link of ours led to its address.

    Streamlit's query parameters alone do not tell: after such a move it goes on sending that
    address with whatever it asks for next, also when the page has long written another one.
    """
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


class WrittenQueries:
    """The addresses of a page that are no command when the browser names them.

    A browser that was led to an address goes on naming it when the page has long written another,
    and whatever it asks for while that is on its way still names the one before.
    """

    def __init__(self, heard: dict[str, str]) -> None:
        self._all = [heard]

    @property
    def shown(self) -> dict[str, str]:
        """What the page has written last."""
        return self._all[-1]

    def write(self, address: dict[str, str]) -> None:
        """Note what the page writes. The address to which it was led is never forgotten."""
        led, *written = self._all
        self._all = [led, *written[1 - MOST_WRITTEN :], address]

    def __contains__(self, heard: dict[str, str]) -> bool:
        return heard in self._all


def browser_query() -> str:
    """The query that this script runs for, as the browser had it, without the question mark."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else str(context.query_string)
