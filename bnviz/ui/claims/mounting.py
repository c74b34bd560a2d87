"""Mounts the page of the claims: HTML that is made once, and a module that filters it."""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from bnviz.live.web.assets_route import VERSION
from bnviz.live.web.templates_route import Templates, offer, pack
from bnviz.texts import language, texts
from bnviz.ui.claims.measured import measured
from bnviz.ui.claims.page import page
from bnviz.ui.foreign_parameters import NAMES, PREFIXES
from bnviz.ui.language import carried
from bnviz.ui.places import ROOT, base_path

KEY = "claims"

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version } = component.data;
  const address = new URL(`${base}/assets/${version}/claims.js`, location.origin).href;
  import(address).then((module) => module.default(component));
}
"""


def mount_claims() -> None:
    """Draw the page of the claims."""
    st.html(ROOT / "assets" / "claims.css")
    _component()(
        key=KEY,
        data={
            "base": base_path(),
            "version": VERSION,
            "page": offer(_packed(language(), tuple(carried().items()))),
            "language": language(),
            "texts": dict(texts(name="claims")["search"]),
            "foreign": {"names": sorted(NAMES), "prefixes": list(PREFIXES)},
        },
    )


@functools.cache
def _packed(spoken: str, carried_along: tuple[tuple[str, str], ...]) -> Templates:
    """The page's HTML as browsers ask for it: a tenth of its size, and once.

    Args:
        spoken: its language.
        carried_along: what its links say of that.
    """
    return pack({"html": page(measured())})


@functools.cache
def _component() -> Any:
    return st.components.v2.component("bnviz.claims", js=LOADER, isolate_styles=False)
