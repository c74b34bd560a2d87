"""The claim that the lab is opened to watch: its sentence over the networks, and what was found."""

from __future__ import annotations

import streamlit as st

from bnviz.claims.amounts import expected, spread
from bnviz.claims.results import Row
from bnviz.claims.table import outcome
from bnviz.config import KNOBS, RunConfig
from bnviz.ui.claims.measured import setting_of, watchable
from bnviz.ui.html import Markup, prose, tag
from bnviz.ui.sitemap import claims_address, lab_address
from bnviz.ui.tab_run import TabRun
from bnviz.words.texts import texts

# What a claim says nothing of: it is measured on several seeds.
FREE = ("seed", "device")


def show_watched(lab: TabRun) -> None:
    """Draw the sentence of the claim that the lab's address names, if it names one."""
    name = lab.query.claim
    if name is None or lab.query.present:
        return
    st.html(watched(name, watchable()[name], lab.config))


def watched(name: str, row: Row, config: RunConfig) -> Markup:
    """A claim's sentence, its outcome and its numbers, and the way back to its row."""
    words = texts(name="claims")["watch"]
    said = words["measured"].format(spread=spread(row), expected=expected(row))
    if row.step is not None:
        said = f"{said} {words['step'].format(step=f'{row.step:,}')}"
    again = lab_address({"claim": name, **(row.query or {})})
    # The live view shows it when a live knob has moved: no script runs for that.
    moved = tag(
        "span", words["changed"], " ", tag("a", words["setting"], href=again, target="_self"), " ",
        class_="claims-moved", hidden=_as_it_says(row, config),
    )  # fmt: skip
    return tag(
        "div", tag("p", tag("strong", outcome(row))),
        tag("p", tag("strong", row.place), " ", tag("span", prose(row.text))),
        tag("p", tag("span", f"{row.quantity}: {said} "), moved,
            tag("a", words["back"], href=claims_address(row.place))),
        class_="claims-watched",
    )  # fmt: skip


def moment_of(row: Row, config: RunConfig) -> dict[str, object] | None:
    """The step at which a claim is seen, where the run is of its setting."""
    if row.step is None or not _as_it_says(row, config):
        return None
    words = texts(name="claims")["watch"]
    return {"step": row.step, "text": words["moment"].format(place=row.place)}


def _as_it_says(row: Row, config: RunConfig) -> bool:
    """Whether these are the knobs of the row's setting."""
    setting = setting_of(row)
    return all(
        getattr(config, knob) == getattr(setting, knob) for knob in KNOBS if knob not in FREE
    )
