"""Page header with the app's name, page links and languages, and functions for page links."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bnviz.ui.component import component, drawn_by
from bnviz.ui.embed import embedded
from bnviz.ui.html import Markup, answer, tag
from bnviz.ui.query_schema import LAB_PARAMETERS, unknown_names
from bnviz.ui.sitemap import PAGES, page_address
from bnviz.words.joining import in_list
from bnviz.words.texts import current_language, languages, texts


def navigate(here: str) -> None:
    """Draw a header whose links keep the session, except in a frame or the presentation view."""
    if embedded() or st.query_params.get("present") == "1":
        return
    with st.container(key="navigation"):
        st.html(_links(here))
        _draw_language_menu()


def page_link(
    name: str, label: str | Markup, query: Mapping[str, str] | None = None, **attributes: object
) -> Markup:
    """Link that keeps the session (assets/page_links.js); `name` is a key of `PAGES`."""
    href = page_address(name, query)
    return tag("a", label, href=href, target="_self", data_page=name, **attributes)


def _links(here: str) -> Markup:
    """App name and page links in one row; in a narrow window, a menu contains the links."""
    words = texts("navigation")
    brand, *places = (
        page_link(name, words[name], aria_current="page" if name == here else None)
        for name, page in PAGES.items()
        if page.listed
    )
    row = tag("span", *places, class_="bnviz-places")
    menu = tag(
        "details",
        tag("summary", tag("span", words["menu"], class_="bnviz-unseen")),
        tag("span", *places, class_="bnviz-places"),
        class_="bnviz-menu",
    )
    return tag("nav", brand, row, menu, aria_label=words["label"], class_="bnviz-pages")


def _draw_language_menu() -> None:
    known = languages()
    if len(known) > 1:
        component("language_menu")(
            key="language_menu",
            data={
                **drawn_by("language_menu.js"), "language": current_language(),
                "languages": dict(known), "label": texts("navigation")["language"],
            },
        )  # fmt: skip


def lead_to_lab() -> None:
    """Switch to the lab if an address without a page path has parameters of the lab.

    This handles addresses reached within the app, for example with Back. For requests of the
    browser, `bnviz.live.web.old_addresses` does the same.
    """
    query = st.query_params.to_dict()
    if not LAB_PARAMETERS.isdisjoint(query):
        st.switch_page(PAGES["lab"].script, query_params=query)


def answer_unknown(*known: str) -> None:
    """Draw a message about unknown parameters; `known` are the page's own parameters."""
    names = unknown_names(st.query_params.to_dict(), known)
    if names:
        sentence = texts("navigation")["unknown"].format(names=in_list(names))
        st.html(answer(sentence))
