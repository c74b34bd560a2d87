"""Runs that a page shows in a block of its own, beside whatever the tab's lab shows."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.planned_runs.plan import Plan
from bnviz.ui.lab_query import LabQuery
from bnviz.ui.live_view import mount_live_view
from bnviz.ui.tab_run import TabRun, cookie_from, owner
from bnviz.ui.view import View

__all__ = ["View", "close_block", "mount_live_view", "open_block"]

STATE = "blocks"
# A tab runs no more than these; a further one takes the place of the one drawn longest ago.
MOST_RUNNING = 2


def open_block(
    name: str,
    config: RunConfig,
    *,
    plan: Plan | None = None,
    pace: str | None = None,
    paused: bool = False,
    run: str | None = None,
    large: bool = False,
    hide: tuple[str, ...] = (),
    wants: Sequence[str] = (),
) -> TabRun:
    """The run of one block of this tab, started when it is first asked for.

    Args:
        name: of the block; the same name is the same run for as long as the tab lives.
        config: the run's knobs at step 0.
        plan: its schedule.
        pace: at which it starts; None: its plan's, or else the watch pace.
        paused: whether it stays at step 0 until somebody plays it.
        run: a run to show, if it still lives, as an address has it.
        large: type for a hall.
        hide: what its controls leave out, as in an address.
        wants: probes that its charts draw.
    """
    blocks: dict[str, TabRun] = st.session_state.setdefault(STATE, {})
    if name in blocks:
        blocks[name] = blocks.pop(name)  # the newest
    lab = blocks.get(name)
    if lab is None:
        page = LabQuery(config, present=large, hide=hide)
        lab = _opened(page, plan, pace, wants)
        if run is not None and current_hub().info(run) is not None:
            lab.run = run
        _add(blocks, name, lab)
        if not lab.run:
            lab.start(config, paused=paused)
    if lab.catch_up() is None and lab.run:
        lab.notify("expired")
        lab.run = ""
        lab.start(lab.config, paused=paused)
    return lab


def close_block(name: str) -> None:
    """End the run of a block, if there is one."""
    lab = st.session_state.get(STATE, {}).pop(name, None)
    if lab is not None:
        lab.leave()


def _opened(page: LabQuery, plan: Plan | None, pace: str | None, wants: Sequence[str]) -> TabRun:
    return TabRun(
        owner(), page, page.config, cookie_from=cookie_from(),
        pace=pace or ("watch" if plan is None else "plan"), plan=plan, wants=tuple(wants),
    )  # fmt: skip


def _add(blocks: dict[str, TabRun], name: str, lab: TabRun) -> None:
    while len(blocks) >= MOST_RUNNING:
        blocks.pop(next(iter(blocks))).leave()
    blocks[name] = lab
