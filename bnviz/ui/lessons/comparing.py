"""The run of a lesson that compares: its members run one after another, where others have one run.

What was measured stays in the tab, also of earlier seeds: they are drawn together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from bnviz.lessons.lesson import Lesson
from bnviz.planned_runs.comparison import Comparison, ComparisonResult
from bnviz.ui.comparison import ended_result
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.tab_run import TabRun

# Key in the tab's session: what was measured, by lesson.
STATE = "lesson_comparisons"


@dataclass(frozen=True)
class LessonComparison:
    """What a lesson that compares has measured in this tab.

    Attributes:
        result: of the members that have run.
        others: whole results of the same settings with other seeds, oldest first.
    """

    result: ComparisonResult
    others: tuple[ComparisonResult, ...] = ()

    @property
    def whole(self) -> tuple[ComparisonResult, ...]:
        """All results that can be drawn together, that of this seed last if it is whole."""
        return (*self.others, self.result) if self.result.complete else self.others

    def of(self, comparison: Comparison) -> LessonComparison:
        """The same for what is compared now: a seed that has run before is not run again."""
        if self.result.comparison == comparison:
            return self
        alike = [
            each for each in self.whole if each.comparison.with_seed(0) == comparison.with_seed(0)
        ]
        known = [each for each in alike if each.comparison == comparison]
        return LessonComparison(
            known[0] if known else ComparisonResult(comparison=comparison),
            tuple(each for each in alike if each not in known),
        )

    def take(self, run: TabRun | None) -> LessonComparison:
        """The same with what the present member has measured, if `run` is its run and has ended."""
        info, member = run.info() if run else None, self.result.member
        if info is None or self.result.complete or info.changes:
            return self
        if (info.initial_config, info.plan) != (member.config, member.plan):
            return self
        measured = ended_result(member, info)
        return self if measured is None else replace(self, result=self.result.with_next(measured))


def open_comparison(
    lesson: Lesson, query: LessonQuery, run: TabRun | None
) -> LessonComparison | None:
    """What a lesson compares and has measured; None where its run is one, as that of a break is.

    Args:
        lesson: the lesson.
        query: what its address asks for; before a guess nothing is known.
        run: that of the lesson in this tab so far, or None.

    Raises:
        ConfigError: the knobs of the address do not go together.
    """
    if lesson.compares is None or query.broken is not None:
        return None
    comparison = lesson.compares(query.setting(lesson)[0])
    empty = LessonComparison(ComparisonResult(comparison=comparison))
    kept: dict[str, LessonComparison] = st.session_state.setdefault(STATE, {})
    found = kept.get(lesson.name, empty).of(comparison)
    found = replace(found, result=empty.result) if query.waits(lesson) else found.take(run)
    kept[lesson.name] = found
    return found
