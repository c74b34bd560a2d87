"""Who a page's visitor is: the address that counts, and the owner that its runs obey."""

from __future__ import annotations

import time

import streamlit as st
from starlette.datastructures import Headers

from bnviz.live.addresses import source
from bnviz.live.web.owner import issuer, owner_in
from bnviz.ui.embed import embedded

# Key in the tab's session: the owner of runs in another site's frame.
STATE = "nobody"


def visitor_address() -> str:
    """The network address that the visitor is counted for; see `bnviz.live.addresses.source`."""
    # Streamlit gives no address for this machine's own.
    peer = st.context.ip_address or "127.0.0.1"
    return source(peer, st.context.headers.get_all("X-Forwarded-For"), issuer().trusted)


def owner() -> str:
    """This browser's secret, if it sent a cookie of ours.

    In a frame it is one that no browser has, kept in the session, and counts as one of the owner
    cookies that an address may have; "" where the visitor's address has had too many.
    """
    if not embedded():
        # Not `st.context.cookies`: of two values it has the last one, and the sockets take the
        # first.
        sent = st.context.headers.get_all("Cookie")
        return owner_in(Headers(raw=[(b"cookie", line.encode("latin-1")) for line in sent])) or ""
    if STATE not in st.session_state:
        found = issuer().owner_without_cookie(visitor_address())
        if found is None:
            return ""
        st.session_state[STATE] = found
    return str(st.session_state[STATE])


def cookie_from() -> float | None:
    """When this browser may have a cookie, if its address has had too many."""
    wait = issuer().wait(visitor_address())
    return None if wait is None else time.monotonic() + wait
