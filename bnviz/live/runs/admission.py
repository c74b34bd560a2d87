"""Who may start another run, and which unwatched one makes room for it.

Whether a pace and a plan suit a run.

A run as it begins: at its first step, or with the past of the run that it is a fork of.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Sequence

from bnviz.change_log import ChangeLog
from bnviz.config import ConfigError, RunConfig
from bnviz.live.errors import LimitReached
from bnviz.live.protocol.pace import PLANNED, first_pause, paces
from bnviz.live.runs.history import History
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run, idle_since
from bnviz.planned_runs.plan import Plan
from bnviz.probes import PROBES
from bnviz.records import Change
from bnviz.words.phrase import listed, one_of, phrase

MINUTE = 60.0


class Admission:
    """The limits on starting runs. Called with the state's lock held."""

    def __init__(self, state: RunRegistry) -> None:
        self._state = state
        self._starts: dict[str, deque[float]] = {}

    def check(self, owner: str) -> None:
        """Make sure that `owner` may start a run now; unwatched runs may end to make room.

        Raises:
            LimitReached: names the limit.
        """
        if not owner:
            raise LimitReached("owner", phrase("errors.needs_cookie"))
        self.count_start(owner)
        self._check_owner(owner)
        waiting = len(self._state.queue())
        if not self._state.has_room() and waiting >= self._state.settings.max_queue:
            raise LimitReached(
                "max_runs",
                phrase("errors.full", places=self._state.settings.max_runs, waiting=waiting),
            )

    def count_start(self, owner: str) -> None:
        """Count a start, of a run or a map.

        Raises:
            LimitReached: so many were within the last minute.
        """
        now, limit = time.monotonic(), self._state.settings.starts_per_minute
        for name in [name for name, times in self._starts.items() if times[-1] < now - MINUTE]:
            del self._starts[name]
        starts = self._starts.setdefault(owner, deque(maxlen=limit))
        if len(starts) == limit and starts[0] > now - MINUTE:
            wait = int(starts[0] + MINUTE - now) + 1
            raise LimitReached(
                "starts_per_minute",
                phrase("errors.too_many_starts", limit=limit, seconds=wait),
            )
        starts.append(now)

    def _check_owner(self, owner: str) -> None:
        limit = self._state.settings.runs_per_owner
        own = [run for run in self._state.runs.values() if run.owner == owner]
        unwatched = [run for run in own if not run.viewers]
        while len(own) >= limit and unwatched:
            oldest = min(unwatched, key=idle_since)
            unwatched.remove(oldest)
            own.remove(oldest)
            self._state.end(oldest, "too many of its owner")
        if len(own) >= limit:
            raise LimitReached(
                "runs_per_owner",
                phrase("errors.too_many_own", count=len(own)),
            )


def check_pace(pace: str, plan: Plan | None) -> None:
    """Make sure that a run may have a pace.

    Raises:
        ConfigError: there is no such pace, or it is for runs with a plan.
    """
    if pace not in paces(plan):
        raise ConfigError("pace", pace, one_of(paces(plan)))


def choose_pace(pace: str | None, plan: Plan | None) -> str:
    """The pace that a run begins at: the one asked for, else its plan's, else "watch".

    Raises:
        ConfigError: see `check_pace`.
    """
    chosen = pace or (PLANNED if plan else "watch")
    check_pace(chosen, plan)
    return chosen


def check_plan(plan: Plan | None, config: RunConfig) -> None:
    """Make sure that a plan, if there is one, suits a run.

    Raises:
        ConfigError: it names a probe that there is none of, or see `Plan.check`.
    """
    if plan is None:
        return
    plan.check(config)
    for name in plan.probes:
        if name not in PROBES:
            raise ConfigError("probes", name, phrase("errors.names_of", names=listed(PROBES)))


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
