"""A planned run without the live path: for the command line and for tests of what a plan is for."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment, steps_with_changes
from bnviz.pieces import run_to_end
from bnviz.planned_runs.plan import Plan, check_steps
from bnviz.probes import PROBES
from bnviz.probes.choice import Probes, choose_probes
from bnviz.records import Snapshot


def run_plan(
    config: RunConfig, plan: Plan, *, probes: Probes = None, every: int = 1
) -> Iterator[Snapshot]:
    """Train as a plan says, and hand out snapshots at 0, every, 2·every …, the plan's steps
    `shown` and the last step.

    That is `last_step`, or the first at which every network's test accuracy is `until` or more.
    The live path gives the same numbers at these steps.

    Args:
        config: what to run.
        plan: changes, steps to be shown, weights to be kept, where it ends; rates mean nothing.
        probes: as in `Experiment.snapshot`. The cheap ones are in every snapshot, the others in
            those of the steps `shown` and of the last step.
        every: steps between snapshots that are not `shown`.

    Raises:
        ConfigError: `every` is out of range, the plan does not suit the config or, once it is to
            act, a change is refused.
    """
    plan.check(config)
    check_steps(plan.last_step, every, plan.changes)
    names = choose_probes(probes)
    cheap = tuple(name for name in names if PROBES[name].cheap)
    experiment = Experiment(config, keep=plan.keep)
    for step in steps_with_changes(experiment, plan.last_step, plan.changes):
        with torch.no_grad():
            reached = plan.until is not None and run_to_end(experiment.reaches(plan.until))
        last = reached or step == plan.last_step
        if last or step in plan.shown:
            yield experiment.snapshot(names)
        elif step % every == 0:
            yield experiment.snapshot(cheap)
        if last:
            return
