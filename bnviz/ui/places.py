"""Where the pages lie, and the server itself.

Absolute, for Streamlit resolves relative paths against the shell.
"""

from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "pages" / "lab.py"
ABOUT = ROOT / "pages" / "about.py"


def base_path() -> str:
    """What the server's own paths start with: "" or "/prefix"."""
    given = st.get_option("server.baseUrlPath") or ""
    return f"/{given.strip('/')}" if given.strip("/") else ""
