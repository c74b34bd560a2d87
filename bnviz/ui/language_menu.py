"""Mounts the menu of languages at the end of the row of links."""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from bnviz.live.web.assets_route import VERSION
from bnviz.texts import language, languages, texts
from bnviz.ui.places import base_path

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version } = component.data;
  const address = new URL(`${base}/assets/${version}/language_menu.js`, location.origin).href;
  import(address).then((module) => module.default(component));
}
"""


def language_menu() -> None:
    """The languages that there are, each in its own words; nothing where there is only one."""
    known = languages()
    if len(known) > 1:
        _component()(
            key="language_menu",
            data={
                "base": base_path(), "version": VERSION, "language": language(),
                "languages": dict(known), "label": texts("navigation")["language"],
            },
        )  # fmt: skip


@functools.cache
def _component() -> Any:
    return st.components.v2.component("bnviz.language_menu", js=LOADER, isolate_styles=False)
