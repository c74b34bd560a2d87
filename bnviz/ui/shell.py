"""Streamlit script of the app: every visit and every rerun runs it, and it runs the page.

The script is not next to `pages/`, so that Streamlit runs it for every address, including deep
links.
"""

from __future__ import annotations

import streamlit as st

from bnviz.locations import locations
from bnviz.ui.browser_history import arrive
from bnviz.ui.embed import answer_wrong, draw_link_out, embedded
from bnviz.ui.language import choose_language
from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import texts


def main() -> None:
    # Collapse the sidebar in the presentation view, to leave more room for the networks.
    stage = st.query_params.get("present") == "1"
    st.set_page_config(
        page_icon=str(locations().assets / "icon.svg"), layout="wide",
        initial_sidebar_state="collapsed" if stage else "auto",
    )  # fmt: skip
    st.html(locations().assets / "shell.css")
    # Each colour is defined for both themes, so tell the style sheet which theme is active.
    kind = "dark" if st.context.theme.type == "dark" else "light"
    st.html(f"<style>:root {{ color-scheme: {kind} }}</style>")
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
        draw_link_out()
    page.run()


main()
