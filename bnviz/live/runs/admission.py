"""Checks before a run starts, and the run's initial state. Call with the registry's lock held."""

from __future__ import annotations

import secrets
import time
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from bnviz.change_log import ChangeLog
from bnviz.config import ConfigError, RunConfig
from bnviz.live.errors import LimitReached
from bnviz.live.protocol.pace import first_pause, paces
from bnviz.live.runs.placement import Placement
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run, idle_since, size_on_worker
from bnviz.live.settings import MEGABYTE
from bnviz.planned_runs.plan import Plan
from bnviz.probes import PROBES
from bnviz.records import Change
from bnviz.words.phrase import listed, one_of, phrase

MINUTE = 60.0
# Random bytes in a run's id, so that it cannot be guessed.
ID_BYTES = 16


def check_start(registry: RunRegistry, owner: str, config: RunConfig, address: str = "") -> None:
    """Raise `LimitReached` if a browser may not start a run. This may end its unwatched runs."""
    if not owner:
        raise LimitReached("owner", phrase("errors.needs_cookie"))
    count_start(registry, owner)
    ending = _too_many(registry, owner)
    # A run that ends frees its place, on a worker or in the queue.
    full = not ending and not registry.has_room(size_on_worker(config))
    if full:
        _check_queue(registry, address)
    for run in ending:
        registry.end(run, "too many runs of its owner")


def count_start(registry: RunRegistry, owner: str) -> None:
    """Count the start of a run or map, or raise `LimitReached` above the limit per minute."""
    now, limit = time.monotonic(), registry.settings.starts_per_minute
    for name in [name for name, times in registry.starts.items() if times[-1] < now - MINUTE]:
        del registry.starts[name]
    starts = registry.starts.setdefault(owner, deque(maxlen=limit))
    if len(starts) == limit and starts[0] > now - MINUTE:
        wait = int(starts[0] + MINUTE - now) + 1
        raise LimitReached(
            "starts_per_minute",
            phrase("errors.too_many_starts", limit=limit, seconds=wait),
        )
    starts.append(now)


def _check_queue(registry: RunRegistry, address: str) -> None:
    """Check that a run may join the queue, or raise `LimitReached`.

    Each other address counts for at most half of the queue, so that it cannot block everyone else.
    A school behind a single address can still block itself. If the queue is full, a run that was
    unwatched for `away_seconds` gives up its place without losing anything.
    """
    settings, waiting = registry.settings, registry.queue()
    by_address = Counter(run.address for run in waiting)
    taken = by_address.pop(address, 0)
    taken += sum(min(count, settings.max_queue // 2) for count in by_address.values())
    if taken < settings.max_queue:
        return
    since = time.monotonic() - settings.away_seconds
    left = [run for run in waiting if not run.viewers and run.last_watched <= since]
    if left:
        registry.end(min(left, key=idle_since), "unwatched in the queue")
    else:
        refusal = phrase("errors.full", places=settings.max_runs, waiting=len(waiting))
        raise LimitReached("max_runs", refusal)


def check_pin(registry: RunRegistry, run: Run) -> None:
    """Raise `LimitReached` if the browser, or all browsers together, have too many pinned runs."""
    settings = registry.settings
    others = [other for other in registry.pinned() if other is not run]
    own = sum(other.owner_is(run.owner) for other in others)
    if own >= settings.pins_per_owner:
        raise LimitReached("pins_per_owner", phrase("errors.too_many_own_pins", count=own))
    if len(others) >= settings.max_pins:
        raise LimitReached("max_pins", phrase("errors.too_many_pins", count=len(others)))
    # Leave half of the pins to other addresses.
    near = sum(other.address == run.address for other in others)
    if run.address and near >= settings.max_pins / 2:
        raise LimitReached("max_pins", phrase("errors.too_many_pins_of_network", count=near))
    if sum(map(registry.pinned_size, [*others, run])) > settings.pinned_bytes:
        size = settings.pinned_bytes // MEGABYTE
        raise LimitReached("pinned_bytes", phrase("errors.pins_too_large", size=size))


def _too_many(registry: RunRegistry, owner: str) -> list[Run]:
    """Return the unwatched runs that must end so that the browser can start one more run.

    Pinned runs do not count. Raise `LimitReached` if too many runs are watched.
    """
    limit = registry.settings.runs_per_owner
    own = [
        run for run in registry.runs.values()
        if run.owner == owner and run.pinned_until is None
    ]  # fmt: skip
    too_many = max(0, len(own) - limit + 1)
    unwatched = sorted((run for run in own if not run.viewers), key=idle_since)
    if len(unwatched) < too_many:
        raise LimitReached(
            "runs_per_owner",
            phrase("errors.too_many_own", count=len(own) - len(unwatched)),
        )
    return unwatched[:too_many]


def check_pace(pace: str, plan: Plan | None) -> None:
    """Raise `ConfigError` if a pace is unknown, or requires a plan that is missing."""
    if pace not in paces(plan):
        raise ConfigError("pace", pace, one_of(paces(plan)))


def check_plan(plan: Plan | None, config: RunConfig) -> None:
    """Raise `ConfigError` if a plan does not fit the configuration or names an unknown probe."""
    if plan is None:
        return
    plan.check(config)
    for name in plan.probes:
        if name not in PROBES:
            raise ConfigError("probes", name, phrase("errors.names_of", names=listed(PROBES)))


def new_run(
    config: RunConfig,
    plan: Plan | None,
    *,
    changes: Sequence[Change],
    from_step: int | None,
    parent: str | None,
    wants: Sequence[str],
    run_id: str | None = None,
    **facts: Any,
) -> Run:
    """Return a run, by default with a new id. The arguments are validated fields of `Run` or
    `Hub.start`.
    """
    past, step = ChangeLog(config.model_dump(), changes), from_step or 0
    by_plan = plan.changes if plan else ()
    # A planned change at exactly this step is done only if it is among the changes made.
    made = [(change.step, change.values) for change in changes]
    done = sum(
        change.step < step or (change.step == step and (step, change.values) in made)
        for change in by_plan
    )
    drags = max(past.last_drag, *(change.drag for change in by_plan), 0)
    return Run(
        **facts, id=run_id or secrets.token_hex(ID_BYTES), initial_config=config,
        config=RunConfig(**past.now), log=past, drags=drags, plan=plan, planned=done, step=step,
        placement=Placement(parent=parent, forked_at=from_step),
        wants=tuple(dict.fromkeys((*wants, *(plan.probes if plan else ())))),
    )  # fmt: skip


def inherit(run: Run, parent: Run | None) -> None:
    """Copy the parent's history, checkpoint and schedule to a fork, up to the fork's first step.

    Without a parent, the earlier steps are marked as unseen.
    """
    at = run.placement.forked_at
    if at is None:
        return
    if parent is None:
        if at:
            run.history.pass_unseen(0, at - 1)
        return
    run.history = parent.history.up_to(at, run.log)
    run.versions = parent.versions if at else run.versions
    run.pin_plan()
    run.origin = run.log.last_step
    length = first_pause(run.plan)
    ended = run.plan is None or at >= length
    run.pause_at = run.target = at + length if ended else length
    if parent.placement.checkpoint.step <= at:
        run.placement.keep(parent.placement.checkpoint)
