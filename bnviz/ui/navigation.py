"""The header of every page, with the name, the pages and the languages; and links to pages."""

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
    """Draw the header, but not in a frame or on the stage.

    Its links keep the session, and with it the lab's run.

    Args:
        here: the name of the present page.
    """
    if embedded() or st.query_params.get("present") == "1":
        return
    with st.container(key="navigation"):
        st.html(_links(here))
        _draw_language_menu()


def page_link(
    name: str, label: str | Markup, query: Mapping[str, str] | None = None, **attributes: object
) -> Markup:
    """A link to a page, which keeps the session (assets/page_links.js).

    Args:
        name: of the page, a key of `PAGES`.
        label: its text.
        query: of the address.
        **attributes: further ones of the element.
    """
    href = page_address(name, query)
    return tag("a", label, href=href, target="_self", data_page=name, **attributes)


def _links(here: str) -> Markup:
    """The name and the pages in one row; in a narrow window the pages are a menu."""
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
    """Draw the menu of languages, each under its own name, if there are several."""
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
    """Go on to the lab where an address without a page's path names parameters of the lab.

    An address that a browser requests is answered by `bnviz.live.web.old_addresses`; this is for
    one that is reached within the app, as by Back.
    """
    query = st.query_params.to_dict()
    if not LAB_PARAMETERS.isdisjoint(query):
        st.switch_page(PAGES["lab"].script, query_params=query)


def answer_unknown(*known: str) -> None:
    """Draw a sentence on the parameters of the address that the page does not read.

    Args:
        known: those that it reads besides the parameters of every page.
    """
    names = unknown_names(st.query_params.to_dict(), known)
    if names:
        sentence = texts("navigation")["unknown"].format(names=in_list(names))
        st.html(answer(sentence))
