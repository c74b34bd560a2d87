"""The Streamlit script: page furniture and navigation. Runs on every visit and every move.

It lies here, not beside `pages/`, so that every address runs through it, deep links included.
"""

from __future__ import annotations

from typing import Literal

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.texts import texts
from bnviz.ui.embed import answer_wrong, draw_way_out, embedded
from bnviz.ui.history import arrive
from bnviz.ui.language import choose_language
from bnviz.ui.places import PAGES, ROOT

# The page's own ground, as in .streamlit/config.toml, and what lies on it.
PAGE = {False: "#FCFCFA", True: "#14171A"}
PAPER = {False: "#FFFFFF", True: "#14171A"}
SIDE = {False: "#F3F5F5", True: "#1A1E22"}


def colours() -> str:
    """Ink and paper of the theme in use, for the page's own styles."""
    dark = st.context.theme.type == "dark"
    paper = f"--bnviz-page: {PAGE[dark]}; --bnviz-paper: {PAPER[dark]}; --bnviz-side: {SIDE[dark]};"
    return f"--bnviz-ink: {theme(dark).ink}; {paper}"


def _sidebar() -> Literal["auto", "collapsed"]:
    """A lecture hall sees the networks, not the knobs; they are a click away."""
    return "collapsed" if st.query_params.get("present") == "1" else "auto"


def main() -> None:
    """Set up the page, choose it by the address, run it."""
    st.set_page_config(
        page_icon=str(ROOT / "assets" / "icon.svg"),
        layout="wide", initial_sidebar_state=_sidebar(),
    )  # fmt: skip
    st.html(ROOT / "assets" / "shell.css")
    st.html(f"<style>:root {{ {colours()} }}</style>")
    choose_language()
    titles = texts("navigation")["title"]
    pages = [
        st.Page(page.script, title=titles[name], url_path=page.path, default=not page.path)
        for name, page in PAGES.items()
    ]
    page = st.navigation(pages, position="hidden")
    arrive(page.url_path)
    answer_wrong()
    if embedded():
        draw_way_out()
    page.run()


main()
