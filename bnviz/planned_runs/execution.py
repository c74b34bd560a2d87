"""Execution of a plan at full speed, without the hub and the worker processes of live runs."""

from __future__ import annotations

from collections.abc import Iterator

from bnviz.config import RunConfig
from bnviz.experiment import Experiment, stops
from bnviz.planned_runs.plan import Plan, check_steps
from bnviz.probes import PROBES
from bnviz.probes.choice import Probes, choose_probes
from bnviz.records import Snapshot


def run_plan(
    config: RunConfig, plan: Plan, *, probes: Probes = None, every: int = 1
) -> Iterator[Snapshot]:
    """Train according to a plan. Yield a snapshot every `every` steps, at `shown` and at the end.

    The results equal those of a live run. The speeds of the plan are ignored. All probes are
    measured at `shown` and at the end, and only cheap probes at other steps.

    Raises:
        ConfigError: `every` or the plan is not allowed, or a change is not allowed at its step.
    """
    plan.check(config)
    check_steps(plan.last_step, every, plan.changes)
    names = choose_probes(probes)
    cheap = tuple(name for name in names if PROBES[name].cheap)
    experiment = Experiment(config, keep=plan.keep)
    for step in stops(experiment, range(plan.last_step + 1), plan.changes):
        last = step == plan.last_step
        if last or step in plan.shown:
            yield experiment.snapshot(names)
        elif step % every == 0:
            yield experiment.snapshot(cheap)
        if last:
            return
