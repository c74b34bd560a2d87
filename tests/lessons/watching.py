"""A lesson's run without the live path: the engine drives its plan."""

import functools

from bnviz.lessons import LESSONS
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.watched import Watched
from bnviz.planned_runs.comparison import Comparison, ComparisonResult
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan

WITH_A_RUN = [name for name, entry in LESSONS.items() if not entry.is_page]
CLAIMING = [name for name in WITH_A_RUN if LESSONS[name].resolve().rule]
# Those whose run is one; the others compare several.
ONE_RUN = [name for name in CLAIMING if LESSONS[name].resolve().compares is None]
# What verdicts read of every lesson, beside the probes that its plan names.
PROBES = ("saturation", "gradients")
# What plans name for a chart alone: no verdict reads it, and it takes long.
FOR_CHARTS = ("estimate",)


def lesson(name: str) -> Lesson:
    return LESSONS[name].resolve()


@functools.lru_cache(maxsize=32)
def watched(name: str, seed: int) -> Watched:
    """A lesson's own run; several tests may look at it.

    Measured as rarely as its rule allows: only that of *break it* looks for a lowest value.
    """
    every = 5 if name == "break-it" else 100
    found = lesson(name)
    if found.compares is not None:
        config = found.config(seed)
        return Watched(snapshots=(), config=config, compared=ran(found.compares(config)))
    return play(found.config(seed), found.plan, every)


def play(config, plan: Plan, every: int = 100) -> Watched:
    probes = [each for each in (*PROBES, *plan.probes) if each not in FOR_CHARTS]
    snapshots = list(run_plan(config, plan, probes=probes, every=every))
    return Watched(snapshots=snapshots, config=config, changes=plan.changes)


def ran(comparison: Comparison) -> ComparisonResult:
    """A comparison's result, measured at the steps that its curves have."""
    result, plan = ComparisonResult(comparison=comparison), comparison.plan
    for config in comparison.settings.values():
        result = result.with_next(list(run_plan(config, plan, probes=(), every=plan.last_step)))
    return result


@functools.lru_cache(maxsize=32)
def broken(name: str, of: str, seed: int = 0) -> Watched:
    """The run of one of a lesson's breaks."""
    found = lesson(name)
    return play(found.break_config(of, seed), found.break_plan(of))
