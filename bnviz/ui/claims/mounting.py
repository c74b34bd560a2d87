"""Mounts the page of the claims: HTML that is made once, and a module that filters it."""

from __future__ import annotations

import functools

import streamlit as st

from bnviz.live.web.templates_route import Templates, offer, pack
from bnviz.texts import language, texts
from bnviz.ui.claims.measured import measured
from bnviz.ui.claims.page import page
from bnviz.ui.component import component, drawn_by
from bnviz.ui.foreign_parameters import NAMES, PREFIXES
from bnviz.ui.language import carried
from bnviz.ui.places import ROOT

KEY = "claims"


def mount_claims() -> None:
    """Draw the page of the claims."""
    st.html(ROOT / "assets" / "claims.css")
    component("claims")(
        key=KEY,
        data={
            **drawn_by("claims.js"),
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
