"""A lesson's run without the live path: the engine drives its plan."""

import functools
from collections.abc import Sequence

from bnviz.lessons import LESSONS
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.watched import Watched
from bnviz.planned_runs.comparison import Comparison, ComparisonResult
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan
from bnviz.ui.lab_query import probes_of

WITH_A_RUN = [name for name, entry in LESSONS.items() if not entry.is_page]
CLAIMING = [name for name in WITH_A_RUN if LESSONS[name].resolve().rule]
# Those whose run is one; the others compare several.
ONE_RUN = [name for name in CLAIMING if LESSONS[name].resolve().compares is None]
# What verdicts read of every lesson, beside the probes that its plan names.
PROBES = ("saturation", "gradients")
# What charts alone need: no verdict reads it, and it takes long.
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
    shown = probes_of(chart for chart, _ in found.charts_of(None))
    return play(found.config(seed), found.plan, every, shown)


def play(config, plan: Plan, every: int = 100, shown: Sequence[str] = ()) -> Watched:
    wanted = dict.fromkeys((*PROBES, *plan.probes, *shown))
    probes = [each for each in wanted if each not in FOR_CHARTS]
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
