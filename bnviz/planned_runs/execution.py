"""Carries out a plan without the live path: no hub, no worker, every step as fast as it can."""

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
    """Train as a plan says; yield snapshots at 0, every, 2·every …, its steps `shown` and the last.

    The live path gives the same numbers at these steps.

    Args:
        config: what to run.
        plan: what changes, what is shown and kept, and where it ends; its rates are ignored.
        probes: as in `Experiment.snapshot`. The cheap ones are in every snapshot, the others in
            those of the steps `shown` and of the last step.
        every: steps between snapshots that are not `shown`.

    Raises:
        ConfigError: `every` is out of range, or the plan does not suit the config; at the step of a
            change, that its values are not allowed.
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
