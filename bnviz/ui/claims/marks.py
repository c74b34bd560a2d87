"""Outcomes as shapes and words. Colour is the network in this app, so it tells no outcome."""

from __future__ import annotations

from enum import StrEnum

from bnviz.claims.judgement import Outcome
from bnviz.ui.claims.html import Markup, tag

# Each in a square of 16: a full disc, a crossed ring, a half disc, an empty broken ring.
RING = {"cx": 8, "cy": 8, "r": 6}
HALF = "M8 2A6 6 0 0 0 8 14Z"
SHAPES = {
    Outcome.HOLDS: (tag("circle", **RING, class_="full"),),
    Outcome.FAILS: (tag("circle", **RING), tag("path", d="M4 4L12 12M12 4L4 12")),
    Outcome.UNDECIDED: (tag("circle", **RING), tag("path", d=HALF, class_="full")),
    Outcome.NO_EVIDENCE: (tag("circle", **RING, stroke_dasharray="2.4 2.3"),),
}  # fmt: skip


def mark(outcome: Outcome) -> Markup:
    """The shape alone; a word stands beside it."""
    return tag(
        "svg", *SHAPES[outcome], class_="claims-mark", viewBox="0 0 16 16", aria_hidden="true"
    )


def badge(outcome: Outcome, words: str) -> Markup:
    """An outcome in a shape and words."""
    return tag("p", mark(outcome), tag("span", words), class_=f"claims-badge {slug(outcome)}")


def slug(name: StrEnum | str) -> str:
    """As an address writes it: does-not-hold."""
    return str(name).replace(" ", "-")
