"""Whether a plan suits a run, and how far a run has come with it."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.config import ConfigError, RunConfig
from bnviz.live.protocol.pace import paces
from bnviz.phrase import listed, one_of, phrase
from bnviz.plan import Plan
from bnviz.probes import PROBES
from bnviz.records import Change


def check_pace(pace: str, plan: Plan | None) -> None:
    """Make sure that a run may have a pace.

    Raises:
        ConfigError: there is no such pace, or it is for runs with a plan.
    """
    if pace not in paces(plan):
        raise ConfigError("pace", pace, one_of(paces(plan)))


def check_plan(plan: Plan, config: RunConfig) -> None:
    """Make sure that a plan suits a run.

    Raises:
        ConfigError: it names a probe that there is none of, or see `Plan.check`.
    """
    plan.check(config)
    for name in plan.probes:
        if name not in PROBES:
            raise ConfigError("probes", name, phrase("errors.names_of", names=listed(PROBES)))


def changes_done(plan: Plan | None, step: int, changes: Sequence[Change]) -> int:
    """How many of a plan's changes have taken effect at a step, by the changes up to there."""
    if plan is None:
        return 0
    made = [(change.step, change.values) for change in changes]
    return sum(
        change.step < step or (change.step == step and (step, change.values) in made)
        for change in plan.changes
    )
