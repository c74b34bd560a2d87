"""Last section of some lessons: readers choose an account and say why; none counts as right."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from bnviz.lessons.lesson import Lesson
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lesson_widgets import mount_widget, own_verdict_data
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.words import LessonWords
from bnviz.ui.query_schema import OWN_VERDICT, WrongValue, lesson_schema


def draw_own_verdict(opened: OpenLesson) -> None:
    """Draw the accounts, a field for the reasons, and the course's evidence on each account."""
    words, query = opened.words, opened.query
    own, frame = words.own["own_verdict"], words.frame["own_verdict"]
    with words.beat(OWN_VERDICT):
        st.html(words.html(own["question"]))
        accounts = {
            name: (own["accounts"][name]["label"], own["accounts"][name]["line"])
            for name in opened.lesson.accounts
        }
        data = own_verdict_data(
            opened.lesson.name, accounts, account=query.account, because=query.because
        )
        mount_widget("own_verdict", key="own_verdict", data=data, verdict=partial(_take, opened))
        with st.expander(frame["shown"]):
            parts = (_shown(words, own["accounts"][name]) for name in opened.lesson.accounts)
            st.html(tag("dl", *parts, class_="lesson-popular"))


def _take(opened: OpenLesson, state: Any) -> None:
    found = read_verdict(opened.lesson, state)
    if found is not None and found != (opened.query.account, opened.query.because):
        account, because = found
        opened.go(account=account, because=because, beat=OWN_VERDICT)()


def read_verdict(lesson: Lesson, state: Any) -> tuple[str | None, str] | None:
    """Return the browser's account and reasons, or None if an address must not contain them."""
    match state:
        case {"account": None | str() as account, "because": str(because)}:
            schema = lesson_schema(lesson)
        case _:
            return None
    try:
        account = account and schema["account"].read(account)
        return account, schema["because"].read(because.strip())
    except WrongValue:
        return None


def _shown(words: LessonWords, account: Mapping[str, Any]) -> Markup:
    """Return the course's evidence on an account, as an item of the list."""
    links = [LessonQuery(name=each).link() for each in account["pages"]]
    told = tag("dd", words.html(account["shown"]), tag("p", Markup(" · ".join(links))))
    return joined(tag("dt", account["label"]), told)


def class_opinion(opened: OpenLesson) -> dict[str, Any] | None:
    """Return the question for a class, or None for a lesson without accounts."""
    if not opened.lesson.accounts:
        return None
    labels = [f"own_verdict.accounts.{name}.label" for name in opened.lesson.accounts]
    return opened.words.asked("own_verdict.class", labels)
