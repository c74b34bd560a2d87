"""Whether a pace and a plan suit a run."""

from __future__ import annotations

from bnviz.config import ConfigError, RunConfig
from bnviz.live.protocol.pace import PLANNED, paces
from bnviz.phrase import listed, one_of, phrase
from bnviz.plan import Plan
from bnviz.probes import PROBES


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
