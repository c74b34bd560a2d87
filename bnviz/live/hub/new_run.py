"""A run as it begins: at its first step, or with the past of the run that it is a fork of."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from bnviz.change_log import ChangeLog
from bnviz.config import RunConfig
from bnviz.live.hub.history import History
from bnviz.live.hub.run import Run
from bnviz.live.protocol.pace import first_pause
from bnviz.plan import Plan
from bnviz.records import Change

ID_BYTES = 16


def new_run(
    owner: str,
    config: RunConfig,
    pace: str,
    plan: Plan | None,
    *,
    playing: bool,
    awake: bool,
    changes: Sequence[Change],
    from_step: int | None,
    parent: str | None,
    wants: Sequence[str],
    history: History,
) -> Run:
    """A run with an id of its own; the arguments are those of `Hub.start`, checked."""
    past = ChangeLog(config.model_dump(), changes)
    planned = max((change.drag for change in plan.changes), default=0) if plan else 0
    return Run(
        id=secrets.token_hex(ID_BYTES), owner=owner, initial_config=config,
        config=RunConfig(**past.now), pace=pace, playing=playing, awake=awake,
        history=history, log=past, drags=max(past.last_drag, planned),
        catch_up_to=from_step, step=from_step or 0, parent=parent,
        wants=tuple(dict.fromkeys((*wants, *(plan.probes if plan else ())))),
        plan=plan, planned=_changes_done(plan, from_step or 0, changes),
    )  # fmt: skip


def inherit(run: Run, parent: Run | None) -> None:
    """Give a fork its parent's past up to the step that it begins at.

    What lies before the first step of a run without a parent has been seen by nobody.
    """
    if run.catch_up_to is None:
        return
    if parent is None:
        if run.catch_up_to:
            run.history.pass_unseen(0, run.catch_up_to - 1)
        return
    run.history = parent.history.until(run.catch_up_to)
    run.history.pin(run.plan.shown if run.plan else ())
    run.origin = run.log.last_step
    length = first_pause(run.plan)
    ended = run.plan is None or run.catch_up_to >= length
    run.pause_at = run.target = run.catch_up_to + length if ended else length
    if parent.reached_at is not None and parent.reached_at <= run.catch_up_to:
        run.reached_at = parent.reached_at
    if parent.checkpoint is not None and parent.checkpoint[0] <= run.catch_up_to:
        run.checkpoint = parent.checkpoint


def _changes_done(plan: Plan | None, step: int, changes: Sequence[Change]) -> int:
    """How many of a plan's changes have taken effect at a step, by the changes up to there."""
    if plan is None:
        return 0
    made = [(change.step, change.values) for change in changes]
    return sum(
        change.step < step or (change.step == step and (step, change.values) in made)
        for change in plan.changes
    )
