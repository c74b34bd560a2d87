"""What the hub tells scripts of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

from bnviz.config import RunConfig
from bnviz.live.hub.run import Run, same_owner
from bnviz.plan import Plan
from bnviz.records import Break, Change


@dataclass(frozen=True)
class RunInfo:
    """What scripts may know of a run.

    Attributes:
        id: 32 hexadecimal digits; whoever knows them may watch.
        initial_config: the knobs at step 0.
        config: the knobs now, live changes included, those on their way too.
        status: "queued", "running", "paused", "finished" or "error".
        reason: why it is not running: "limit", "watch", "plan" (its plan goes no further),
            "reached" (the plan's accuracy), "diverged", "unwatched", "failed", or None.
        pace: one of `paces(plan)`.
        plan: its schedule, or None.
        target: the step at which it stops by itself.
        step: the newest step shown.
        viewers: how many watch.
        queue_place: 1 for the next in the queue; None outside it.
        changes: the live changes, oldest first.
        breaks: what broke first in each network that broke.
        best: by norm, the best rate tried and the accuracy it gave; None until it was searched.
        note: what stood in for what, or None.
        error: what ended the run, or None.
    """

    id: str
    initial_config: RunConfig
    config: RunConfig
    status: str
    reason: str | None
    pace: str
    plan: Plan | None
    target: int
    step: int
    viewers: int
    queue_place: int | None
    changes: tuple[Change, ...]
    breaks: dict[str, Break]
    best: dict[str, dict[str, float]] | None
    note: str | None
    error: str | None
    owner: str = field(repr=False)

    def owner_is(self, owner: str) -> bool:
        """Whether this browser started the run."""
        return same_owner(self.owner, owner)


def info_of(run: Run, queue_place: int | None) -> RunInfo:
    """A run as it is now, at this place in the queue; used under the hub's lock."""
    return RunInfo(
        id=run.id, owner=run.owner, initial_config=run.initial_config, config=run.config,
        status=run.status, reason=run.stopped_because, pace=run.pace, plan=run.plan,
        target=run.target, step=run.step, viewers=len(run.viewers), queue_place=queue_place,
        changes=tuple(run.log), breaks=dict(run.breaks), best=run.plain_best(), note=run.note,
        error=run.error,
    )  # fmt: skip
