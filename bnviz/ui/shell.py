"""The Streamlit script: page furniture and navigation. Runs on every visit and every move.

It lies here, not beside `pages/`, so that every address runs through it, deep links included.
"""

from __future__ import annotations

import streamlit as st

from bnviz.texts import texts
from bnviz.ui.places import ABOUT, LAB, ROOT


def main() -> None:
    """Set up the page, choose it by the address, run it."""
    words = texts(name="lab")
    st.set_page_config(
        page_title=f"{words['title']} · bnviz", page_icon=str(ROOT / "assets" / "icon.svg"),
        layout="wide", initial_sidebar_state="auto",
    )  # fmt: skip
    st.html(ROOT / "assets" / "shell.css")
    pages = [
        st.Page(LAB, title=words["title"], default=True),
        st.Page(ABOUT, title=words["about"], url_path="about"),
    ]
    st.navigation(pages, position="hidden").run()


main()
