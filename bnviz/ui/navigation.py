"""Mounts the menu of languages at the end of the row of links.

The header: the name, the places and the languages, the same on every page and width.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from bnviz.ui.component import component, drawn_by
from bnviz.ui.embed import embedded
from bnviz.ui.html import Markup, tag
from bnviz.ui.sitemap import PAGES, page_address
from bnviz.words.texts import current_language, languages, texts


def language_menu() -> None:
    """The languages that there are, each in its own words; nothing where there is only one."""
    known = languages()
    if len(known) > 1:
        component("language_menu")(
            key="language_menu",
            data={
                **drawn_by("language_menu.js"), "language": current_language(),
                "languages": dict(known), "label": texts("navigation")["language"],
            },
        )  # fmt: skip


def navigate(here: Path) -> None:
    """Draw the header; its links keep the session, and with it the lab's run.

    Args:
        here: the page on which they stand.
    """
    if embedded() or st.query_params.get("present") == "1":
        return
    with st.container(key="navigation"):
        st.html(_links(here))
        language_menu()


def page_link(
    name: str, label: str | Markup, query: Mapping[str, str] | None = None, **attributes: object
) -> Markup:
    """A link to a page by its name, followed within the app (assets/page_links.js).

    Args:
        name: of the page.
        label: what the link says.
        query: what the page is asked.
        **attributes: more of the element.
    """
    href = page_address(name, query)
    return tag("a", label, href=href, target="_self", data_page=name, **attributes)


def _links(here: Path) -> Markup:
    """The name and the places in one row; where that is too narrow the places are a menu."""
    words = texts(name="navigation")
    brand, *places = (
        page_link(name, words[name], aria_current="page" if page.script == here else None)
        for name, page in PAGES.items()
    )
    row = tag("span", *places, class_="bnviz-places")
    menu = tag(
        "details",
        tag("summary", tag("span", words["menu"], class_="bnviz-unseen")),
        tag("span", *places, class_="bnviz-places"),
        class_="bnviz-menu",
    )
    return tag("nav", brand, row, menu, aria_label=words["label"], class_="bnviz-pages")
