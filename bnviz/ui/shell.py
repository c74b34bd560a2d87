"""The Streamlit script: page furniture and navigation. Runs on every visit and every move.

It lies here, not beside `pages/`, so that every address runs through it, deep links included.
"""

from __future__ import annotations

from typing import Literal

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.texts import texts
from bnviz.ui.places import ABOUT, ABOUT_PATH, CLAIMS, CLAIMS_PATH, LAB, ROOT

PAPER = {False: "#FFFFFF", True: "#14171A"}
SIDE = {False: "#F3F5F5", True: "#1A1E22"}


def colours() -> str:
    """Ink and paper of the theme in use, for the page's own styles."""
    dark = st.context.theme.type == "dark"
    paper = f"--bnviz-paper: {PAPER[dark]}; --bnviz-side: {SIDE[dark]};"
    return f"--bnviz-ink: {theme(dark).ink}; {paper}"


def _sidebar() -> Literal["auto", "collapsed"]:
    """A lecture hall sees the networks, not the knobs; they are a click away."""
    return "collapsed" if st.query_params.get("present") == "1" else "auto"


def main() -> None:
    """Set up the page, choose it by the address, run it."""
    words = texts(name="lab")
    st.set_page_config(
        page_title=f"{words['title']} · bnviz", page_icon=str(ROOT / "assets" / "icon.svg"),
        layout="wide", initial_sidebar_state=_sidebar(),
    )  # fmt: skip
    st.html(ROOT / "assets" / "shell.css")
    st.html(f"<style>:root {{ {colours()} }}</style>")
    pages = [
        st.Page(LAB, title=words["title"], default=True),
        st.Page(CLAIMS, title=texts(name="claims")["title"], url_path=CLAIMS_PATH),
        st.Page(ABOUT, title=words["about"], url_path=ABOUT_PATH),
    ]
    st.navigation(pages, position="hidden").run()


main()
