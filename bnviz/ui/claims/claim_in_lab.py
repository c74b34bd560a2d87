"""A claim opened in the lab: its sentence and its numbers, above the networks."""

from __future__ import annotations

import streamlit as st

from bnviz.claims.amounts import expected, median_and_range
from bnviz.claims.results import Row
from bnviz.claims.table import outcome
from bnviz.config import RunConfig
from bnviz.ui.claims.measured import claim_address_in_lab, claims_in_lab, setting_of
from bnviz.ui.html import Markup, prose, tag
from bnviz.ui.sitemap import claims_address
from bnviz.ui.tab_run import UNDECIDED, TabRun, differing
from bnviz.words.joining import labelled, sentences
from bnviz.words.texts import texts


def draw_claim_card(lab: TabRun) -> None:
    """Draw the claim that the lab's address names, if there is one."""
    name = lab.query.claim
    if name is None or lab.query.present:
        return
    st.html(claim_card(claims_in_lab()[name], lab.config))


def claim_card(row: Row, config: RunConfig) -> Markup:
    """Sentence, outcome and numbers of a claim, with a link back to its row of the claims page."""
    words = texts(name="claims")["watch"]
    numbers = words["measured"].format(spread=median_and_range(row), expected=expected(row))
    step = row.watch and row.watch.step
    if step is not None:
        numbers = sentences((numbers, words["step"].format(step=f"{step:,}")))
    # A change of a live knob does not rerun the script, so the live view reveals this element.
    setting = tag("a", words["setting"], href=claim_address_in_lab(row), target="_self")
    moved = tag(
        "span", words["changed"], " ", setting, " ",
        class_="claims-moved", hidden=_has_setting_of(row, config),
    )  # fmt: skip
    return tag(
        "div", tag("p", tag("strong", outcome(row))),
        tag("p", tag("strong", row.place), " ", tag("span", prose(row.text))),
        tag("p", tag("span", f"{labelled(row.quantity, numbers)} "), moved,
            tag("a", words["back"], href=claims_address(row.place))),
        class_="claims-watched",
    )  # fmt: skip


def step_to_see(row: Row, config: RunConfig) -> dict[str, object] | None:
    """Step that shows a claim, for the timeline, or None if the run's settings differ from it."""
    step = row.watch and row.watch.step
    if step is None or not _has_setting_of(row, config):
        return None
    words = texts(name="claims")["watch"]
    text = words["step_to_see"].format(place=row.place, step=f"{step:,}")
    return {"step": step, "text": text, "names_step": True}


def _has_setting_of(row: Row, config: RunConfig) -> bool:
    return differing(config, setting_of(row)).keys() <= UNDECIDED
