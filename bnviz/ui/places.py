"""Where the pages lie, and the server itself.

Absolute, for Streamlit resolves relative paths against the shell.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "pages" / "lab.py"
CLAIMS = ROOT / "pages" / "claims.py"
ABOUT = ROOT / "pages" / "about.py"

# Under which path each page is, but for the server's own.
LAB_PATH, CLAIMS_PATH, ABOUT_PATH = "", "claims", "about"


def lab_address(query: Mapping[str, str]) -> str:
    """Where the lab opens with a query."""
    return f"{base_path()}/{LAB_PATH}?{urlencode(query, safe=',')}"


def claims_address(place: str = "") -> str:
    """Where the claims stand, or one of their rows by its number."""
    return f"{base_path()}/{CLAIMS_PATH}{f'#{place}' if place else ''}"


def base_path() -> str:
    """What the server's own paths start with: "" or "/prefix"."""
    given = st.get_option("server.baseUrlPath") or ""
    return f"/{given.strip('/')}" if given.strip("/") else ""
