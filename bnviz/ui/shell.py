"""The Streamlit script: page furniture and navigation. Runs on every visit and every move.

It lies here, not beside `pages/`, so that every address runs through it, deep links included.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from bnviz.texts import texts

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Set up the page, choose it by the address, run it."""
    words = texts(name="lab")
    st.set_page_config(
        page_title=f"{words['title']} · bnviz", page_icon=str(ROOT / "assets" / "icon.svg"),
        layout="wide", initial_sidebar_state="auto",
    )  # fmt: skip
    st.html(ROOT / "assets" / "shell.css")
    pages = [
        st.Page(ROOT / "pages" / "lab.py", title=words["title"], default=True),
        st.Page(ROOT / "pages" / "about.py", title=words["about"], url_path="about"),
    ]
    st.navigation(pages, position="hidden").run()


main()
