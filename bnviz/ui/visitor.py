"""Identity of a page's visitor: the network address and the owner of the visitor's runs."""

from __future__ import annotations

import time

import streamlit as st
from starlette.datastructures import Headers

from bnviz.live.client_addresses import source
from bnviz.live.web.owner import issuer, owner_in
from bnviz.ui.embed import embedded

# Session-state key of the owner of an embedded page's runs.
STATE = "nobody"


def visitor_address() -> str:
    """Network address of the visitor, as `bnviz.live.client_addresses.source` determines it."""
    # Streamlit reports no address for a visitor on the server's own machine.
    peer = st.context.ip_address or "127.0.0.1"
    return source(peer, st.context.headers.get_all("X-Forwarded-For"), issuer().trusted)


def owner() -> str:
    """Secret of this browser from its cookie, or "" without a cookie.

    An embedded page gets a secret that is stored only in its session. The secret counts towards the
    owner cookies of the visitor's address; it is "" if the address has had too many cookies.
    """
    if not embedded():
        # If a cookie is sent twice, `st.context.cookies` keeps the last value, but the WebSockets
        # use the first.
        sent = st.context.headers.get_all("Cookie")
        return owner_in(Headers(raw=[(b"cookie", line.encode("latin-1")) for line in sent])) or ""
    if STATE not in st.session_state:
        found = issuer().owner_without_cookie(visitor_address())
        if found is None:
            return ""
        st.session_state[STATE] = found
    return str(st.session_state[STATE])


def cookie_from() -> float | None:
    """Monotonic time from which this browser may get a cookie, or None if it may get one now."""
    wait = issuer().wait(visitor_address())
    return None if wait is None else time.monotonic() + wait
