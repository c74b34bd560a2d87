"""Where a page's visitor comes from."""

from __future__ import annotations

import streamlit as st

from bnviz.live.addresses import source
from bnviz.live.web.owner import issuer


def visitor_address() -> str:
    """The network address that the visitor is counted for; see `bnviz.live.addresses.source`."""
    # Streamlit gives no address for this machine's own.
    peer = st.context.ip_address or "127.0.0.1"
    return source(peer, st.context.headers.get_all("X-Forwarded-For"), issuer().trusted)
