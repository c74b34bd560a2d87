"""What a class is asked in a lesson: what the lesson itself asks its reader to predict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from bnviz.lessons.lesson import Lesson, Value
from bnviz.lessons.watched import NotMeasured
from bnviz.ui.lessons.running import Running
from bnviz.ui.lessons.said import Said

# What a ballot has room for.
MOST_CHARACTERS, MOST_IN_ANSWER, MOST_SAID = 140, 48, 200
MARKUP = re.compile(r"<[^>]+>|[*_`]")


def class_question(lesson: Lesson, said: Said, running: Running) -> dict[str, Any] | None:
    """The lesson's question as plain text, with its answers; None of one that asks nothing.

    Where they are too long for a phone, the lesson's words have shorter ones in `[class]`. A run
    that has come to its end says which answer came true.
    """
    if not lesson.answers:
        return None
    text, answers = words_of(lesson, said)
    return {
        "text": text, "answers": answers,
        "kind": None, "network": None, "steps": None, "run": running.lab.run,
        "happened": _happened(lesson, said, running),
    }  # fmt: skip


def words_of(lesson: Lesson, said: Said) -> tuple[str, list[str]]:
    """The question and its answers as plain text."""
    short = said.words.get("class", {})
    answers = [_plain(said, short.get(key) or said.words["answers"][key]) for key in lesson.answers]
    return _plain(said, short.get("question") or said.words["predict"]), answers


def _plain(said: Said, text: str, run: Mapping[str, Value] | None = None) -> str:
    return " ".join(unescape(MARKUP.sub("", said.html(text, run))).split())


def _happened(lesson: Lesson, said: Said, running: Running) -> dict[str, Any] | None:
    """Which answer the run gave, and in a sentence; None as long as that is open.

    Also where it gave none of them: what it says instead stands in the lesson.
    """
    if not running.finished:
        return None
    try:
        verdict = lesson.verdict(running.watched())
    except NotMeasured:
        return None
    if verdict is None or verdict.answer is None:
        return None
    sentence = _plain(said, said.words["says"][verdict.answer], verdict.numbers)
    return {"answers": [lesson.answers.index(verdict.answer)], "sentence": sentence[:MOST_SAID]}
