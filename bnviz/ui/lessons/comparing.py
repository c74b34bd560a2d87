"""The run of a lesson that compares: its members run one after another, where others have one run.

What was measured stays in the tab, also of earlier seeds: they are drawn together.
"""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from bnviz.lessons.lesson import Lesson
from bnviz.planned_runs.comparison import ComparisonResult
from bnviz.ui.comparison import ended_result
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.tab_run import TabRun

# Key in the tab's session: the results by lesson and seed, that of the present seed last.
STATE = "lesson_comparisons"


class LessonComparison(NamedTuple):
    """What a lesson that compares has measured in this tab.

    Attributes:
        result: of the members that have run.
        others: whole results of the same settings with other seeds, oldest first.
    """

    result: ComparisonResult
    others: tuple[ComparisonResult, ...]


def open_comparison(
    lesson: Lesson, query: LessonQuery, run: TabRun | None
) -> LessonComparison | None:
    """What a lesson compares and has measured; None where its run is one, as that of a break is.

    Args:
        lesson: the lesson.
        query: what its address asks for; before a guess nothing is known. A seed that has run
            before is not run again.
        run: that of the lesson in this tab so far, or None.

    Raises:
        ConfigError: the knobs of the address do not go together.
    """
    if lesson.compares is None or query.broken is not None:
        return None
    comparison = lesson.compares(query.setting(lesson)[0])
    kept: dict[str, dict[int, ComparisonResult]] = st.session_state.setdefault(STATE, {})
    by_seed = {
        seed: each for seed, each in kept.get(lesson.name, {}).items()
        if each.comparison.with_seed(query.seed) == comparison
        and (each.complete or seed == query.seed)
    }  # fmt: skip
    known, empty = by_seed.pop(query.seed, None), ComparisonResult(comparison=comparison)
    result = empty if query.waits(lesson) else _taken(known or empty, run)
    others = tuple(by_seed.values())
    kept[lesson.name] = by_seed | {query.seed: result}
    return LessonComparison(result, others)


def _taken(result: ComparisonResult, run: TabRun | None) -> ComparisonResult:
    """The result with what the present member has measured, if `run` is its run and has ended."""
    info, member = run.info() if run else None, result.member
    if info is None or result.complete or info.changes:
        return result
    if (info.initial_config, info.plan) != (member.config, member.plan):
        return result
    measured = ended_result(member, info)
    return result if measured is None else result.with_next(measured)
