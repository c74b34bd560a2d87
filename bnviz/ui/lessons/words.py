"""The words of one visit, with their numbers: what the beats put on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from bnviz.lessons.lesson import Lesson, Value
from bnviz.lessons.words import Filling, markdown_to_html, told_as
from bnviz.words.texts import texts


@dataclass(frozen=True)
class LessonWords:
    """A lesson's words and those of the frame.

    Attributes:
        words: `lessons/<name>.toml`.
        frame: `lessons.toml`.
        settings: what `{setting:…}` names.
    """

    words: Mapping[str, Any]
    frame: Mapping[str, Any]
    settings: Mapping[str, Value]

    def filled(self, text: str, run: Mapping[str, Value] | None = None) -> str:
        """One text as Markdown, its numbers in it."""
        return Filling(self.settings, run).sentence(text)

    def html(self, text: str, run: Mapping[str, Value] | None = None) -> str:
        """One text without formulas as HTML."""
        return markdown_to_html(self.filled(text, run))

    def sentences(
        self, given: Iterable[str], run: Mapping[str, Value], more: Iterable[str] = ()
    ) -> str:
        """Those sentences for which this run has numbers, as a list of HTML.

        Args:
            given: the lesson's own.
            run: the numbers.
            more: HTML that stands below them.
        """
        filled = Filling(self.settings, run).sentences(given)
        told = [markdown_to_html(text, block=False) for text in filled]
        items = "".join(f"<li>{text}</li>" for text in (*told, *more))
        return f"<ul class='lesson-told'>{items}</ul>"

    def answer(self, key: str) -> str:
        """One of the answers, as a button has it."""
        return self.filled(self.words["answers"][key])

    def usual(self) -> str:
        """All answers, as a drawing that is none of them is told of them."""
        return ", ".join(
            f"“{self.filled(told_as(self.words, key)).removesuffix('.')}”"
            for key in self.words["answers"]
        )

    def guess(self, key: str) -> str:
        """The answer that was guessed, as it stands at what it is about: as short as a phone's."""
        short = self.words.get("class", {}).get(key)
        said = self.filled(short) if short else self.answer(key)
        return f"{self.frame['predict']['yours']}: {said}"

    def plain(self, name: str, part: str, **values: str) -> str:
        """A sentence of the frame, its values escaped."""
        safe = {key: escape(value, quote=False) for key, value in values.items()}
        return str(self.frame[name][part]).format(**safe)


def lesson_words(name: str, lesson: Lesson | None) -> LessonWords:
    """The words of a lesson, written or not; of none (""), those of the frame alone."""
    return LessonWords(
        texts(f"lessons/{name}") if name else {}, texts("lessons"),
        lesson.named_values() if lesson else {},
    )  # fmt: skip


def own_names(words: Mapping[str, Any], broken: str | None, what: str) -> Mapping[str, str]:
    """What networks are called in a lesson, or in one of its breaks, where it is something else
    than elsewhere.

    Args:
        words: of the lesson.
        broken: the break that is run, or None.
        what: "networks": in charts; "called": in a sentence, after "the network".
    """
    place = words["break"][broken] if broken else {}
    return {**words.get(what, {}), **place.get(what, {})}


def beat(title: str, *, key: str) -> Any:
    """The place of one beat, with its title; the styles number those that stand there."""
    place = st.container(key=f"lesson_beat_{key}")
    with place:
        st.html(f"<h2 class='lesson-beat'>{escape(title)}</h2>")
    return place
