"""A lesson's part of a report: question, guess, settings, verdict in sentences, and link."""

from __future__ import annotations

import re
from typing import Any

from bnviz.config import KNOBS
from bnviz.lessons import LESSONS
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.prediction import drawn_guess, guess_line
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.verdict import findings_html
from bnviz.ui.lessons.words import LessonWords, plain_text
from bnviz.ui.report import collect_address, setting_lines
from bnviz.words.joining import labelled

# Paragraphs and list items of HTML, each of which becomes a line of a report.
PART = re.compile(r"<(?:p|li)\b[^>]*>(.*?)</(?:p|li)>", re.DOTALL)


def lesson_report(opened: OpenLesson) -> dict[str, Any] | None:
    """Data for the browser's report, or None if readers cannot hand in a report."""
    query, words, lesson = opened.query, opened.words, opened.lesson
    if query.watching:
        return None
    asks = words.own.get("predict") or words.own.get("drawing", {}).get("prompt", "")
    return {
        "title": words.own["title"], "name": lesson.name,
        "link": lesson_setting(query).address,
        "question": [*_paragraphs(words, words.own["question"]), *_paragraphs(words, asks)],
        "guess": plain_text(guess_line(opened)), "drawn": drawn_guess(opened),
        "setting": lesson_lines(opened.query, words),
        "verdict": _verdict(opened),
        "collect": collect_address(),
        "planned": [[each.step, dict(each.values)] for each in opened.run.plan.changes],
    }  # fmt: skip


def lesson_setting(query: LessonQuery) -> LessonQuery:
    """Reduce a query to its settings and guess."""
    return LessonQuery(
        name=query.name, guess=query.guess, seed=query.seed, broken=query.broken, knobs=query.knobs
    )


def lesson_lines(query: LessonQuery, words: LessonWords) -> list[str]:
    """Describe how the settings of a run differ from the lesson's own."""
    lesson = LESSONS[query.name].resolve()
    seed = [labelled(KNOBS["seed"].label, str(query.seed))] if query.seed else []
    if query.broken is not None:
        return [words.plain(words.own["break"][query.broken]["label"]), *seed]
    own = lesson.config(query.seed)
    changed = own.replace(**query.knobs) if query.knobs else own
    return [*setting_lines(changed, own.model_dump()), *seed]


def _paragraphs(words: LessonWords, text: str) -> list[str]:
    return [words.plain(part) for part in text.strip().split("\n\n") if part.strip()]


def _verdict(opened: OpenLesson) -> dict[str, Any] | None:
    """Results of the run, in the page's sentences, or None before there are results."""
    if opened.query.hide or not (opened.run.finished and opened.tried):
        return None
    html = findings_html(opened)
    if html is None:
        return None
    verdict = opened.verdict() if opened.query.broken is None else None
    return {
        "sentences": [plain_text(part) for part in PART.findall(html)],
        "outcome": verdict and verdict.outcome, "answer": verdict and verdict.answer,
    }  # fmt: skip
