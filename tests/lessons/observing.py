"""Runs of lessons, in which the engine follows the plan without server or workers."""

import functools
from collections.abc import Sequence

from bnviz.lessons import LESSONS
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.comparison import Comparison, ComparisonResult
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan
from bnviz.ui.lab_query import probes_of

WITH_A_RUN = [name for name, entry in LESSONS.items() if not entry.is_page]
CLAIMING = [name for name in WITH_A_RUN if LESSONS[name].resolve().rule]
# Lessons with a claim and a single run; the others compare several runs.
ONE_RUN = [name for name in CLAIMING if LESSONS[name].resolve().compares is None]
# Probes that every verdict may read, in addition to the plan's probes.
PROBES = ("saturation", "gradients")
# Slow probes that only charts use.
FOR_CHARTS = ("estimate",)


def lesson(name: str) -> Lesson:
    return LESSONS[name].resolve()


@functools.lru_cache(maxsize=32)
def observed(name: str, seed: int) -> Observation:
    """Return a lesson's own run, shared by all tests.

    It is measured every 100 steps; *break it* is measured every 5, because its rule looks for a
    minimum.
    """
    every = 5 if name == "break-it" else 100
    found = lesson(name)
    if found.compares is not None:
        config = found.config(seed)
        return Observation(snapshots=(), config=config, compared=ran(found.compares(config)))
    shown = probes_of(chart for chart, _ in found.charts_of(None))
    return play(found.config(seed), found.plan, every, shown)


def play(config, plan: Plan, every: int = 100, shown: Sequence[str] = ()) -> Observation:
    wanted = dict.fromkeys((*PROBES, *plan.probes, *shown))
    probes = [each for each in wanted if each not in FOR_CHARTS]
    snapshots = list(run_plan(config, plan, probes=probes, every=every))
    return Observation(snapshots=snapshots, config=config, changes=plan.changes)


def ran(comparison: Comparison) -> ComparisonResult:
    """Run a comparison, measured at the steps of its curves."""
    result, plan = ComparisonResult(comparison=comparison), comparison.plan
    for config in comparison.settings.values():
        result = result.with_next(list(run_plan(config, plan, probes=(), every=plan.last_step)))
    return result


@functools.lru_cache(maxsize=32)
def broken(name: str, of: str, seed: int = 0) -> Observation:
    """Run a try-it experiment of a lesson."""
    found = lesson(name)
    return play(found.config_of_try(of, seed), found.plan_of_try(of))
