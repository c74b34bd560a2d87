"""How bnviz is cited: what it is called, which version of it, of which year, and where."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from bnviz import VERSION, YEAR
from bnviz.texts import texts
from bnviz.ui.places import base_path


def citation() -> str:
    """One line, with the address at which this server is reached."""
    words = texts("navigation")["cite"]
    return str(words["line"].format(version=VERSION, year=YEAR, address=_address()))


def _address() -> str:
    """This server, as the visitor's browser calls it."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}{base_path()}/" if parts.netloc else f"{base_path()}/"
