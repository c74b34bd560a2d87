"""Mounts the menu of languages at the end of the row of links."""

from __future__ import annotations

from bnviz.texts import language, languages, texts
from bnviz.ui.component import component, drawn_by


def language_menu() -> None:
    """The languages that there are, each in its own words; nothing where there is only one."""
    known = languages()
    if len(known) > 1:
        component("language_menu")(
            key="language_menu",
            data={
                **drawn_by("language_menu.js"), "language": language(),
                "languages": dict(known), "label": texts("navigation")["language"],
            },
        )  # fmt: skip
