"""The words of a lesson's page, with the numbers of its setting and of its run filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Any

import streamlit as st

from bnviz.lessons.lesson import Lesson, Numbers
from bnviz.lessons.words import Filling
from bnviz.ui.html import Markup, joined, marked, tag
from bnviz.words.filling import slots
from bnviz.words.joining import labelled, quoted
from bnviz.words.phrase import Phrase
from bnviz.words.texts import ENGLISH, languages, text, texts

LINK = re.compile(r"\[([^\[\]]+)\]\((https://[^()\s]+)\)")
# What a term's sign says when it is pointed at is no part of the sentence.
MARKUP = re.compile(r'<span class="bnviz-says".*?</span>|<[^>]+>|[*_`]', re.DOTALL)


@dataclass(frozen=True)
class LessonWords:
    """A lesson's own words, and those of every lesson's page.

    Attributes:
        name: of the lesson; "" for the page that lists all.
        own: `lessons/<name>.toml`.
        frame: `lessons.toml`.
        settings: values for `{setting:…}`.
    """

    name: str
    own: Mapping[str, Any]
    frame: Mapping[str, Any]
    settings: Numbers

    def filled(self, text: str, numbers: Numbers | None = None) -> str:
        """A text as Markdown.

        Args:
            text: with places for numbers.
            numbers: values for `{run:…}`, which the run has measured; None: none yet.
        """
        return Filling(self.settings, numbers).sentence(text)

    def html(self, text: str, numbers: Numbers | None = None) -> Markup:
        """Return a text without formulas, in paragraphs; takes the arguments of `filled`."""
        parts = re.split(r"\n{2,}", self.filled(text, numbers).strip())
        return joined(*(tag("p", line_html(part)) for part in parts))

    def plain(self, text: str, numbers: Numbers | None = None) -> str:
        """The same as one line without markup."""
        return plain_text(self.html(text, numbers))

    def inline_html(self, text: str, numbers: Numbers | None = None) -> Markup:
        """One line without a paragraph around it."""
        return line_html(self.filled(text, numbers))

    def sentences(self, given: Iterable[str], numbers: Numbers, more: Iterable[str] = ()) -> Markup:
        """A list of the sentences for which the run has all numbers.

        Args:
            given: the lesson's sentences.
            numbers: values for `{run:…}`.
            more: HTML of further items, which stand last.
        """
        filled = Filling(self.settings, numbers).sentences(given)
        rows = (tag("li", text) for text in (*map(line_html, filled), *map(Markup, more)))
        return tag("ul", *rows, class_="lesson-told")

    def entries(self, key: str) -> list[dict[str, Any]]:
        """Return a list of tables; `name` and `lesson` come from the English file."""
        english = texts(f"lessons/{self.name}", ENGLISH).get(key, ())
        return [
            {**said, **{field: own[field] for field in ("name", "lesson") if field in own}}
            for own, said in zip(english, self.own.get(key, ()), strict=True)
        ]

    def beat(self, name: str) -> Any:
        """A container for a beat, under its own title."""
        return beat_container(self.frame["beat"][name], key=name)

    def draw(self, key: str) -> None:
        """Draw one of the lesson's texts, which has no formula."""
        st.html(self.html(self.own[key]))

    def answer(self, key: str, *, drawn: bool = False) -> str:
        """One of the answers, as its button has it.

        An answer may say more than a curve can: for one that was drawn there may be shorter words.
        """
        shorter = self.own.get("drawing", {}).get("answers", {}) if drawn else {}
        return self.filled(shorter.get(key) or self.own["answers"][key])

    def quoted_answer(self, key: str, *, drawn: bool = False) -> str:
        """The same within a sentence."""
        return quoted(self.answer(key, drawn=drawn).rstrip(".。"))

    def short_guess(self, key: str) -> str:
        """The guessed answer as a chart's heading notes it, in its words for phones if any."""
        short = self.own.get("class", {}).get(key)
        answer = self.filled(short) if short else self.answer(key)
        return labelled(self.frame["predict"]["yours"], answer)

    def framed(self, table: str, key: str, **values: object) -> str:
        """A sentence of the frame; its values are escaped for HTML."""
        safe = {name: escape(str(value), quote=False) for name, value in values.items()}
        return str(self.frame[table][key]).format(**safe)

    def network_names(self, broken: str | None, place: str) -> Mapping[str, str]:
        """The names of networks, by norm, that differ in this lesson, or in one of its breaks.

        Args:
            broken: the break that is run, or None.
            place: "networks" for those in charts; "called" for those in a sentence, after "the
                network".
        """
        return {norm: text(key) for norm, key in self.network_keys(broken, place).items()}

    def network_keys(self, broken: str | None, place: str) -> Mapping[str, str]:
        """The keys of these names in the tables of words; the arguments are those above."""
        of_break = self.own["break"][broken] if broken else {}
        own = f"lessons/{self.name}"
        return {
            **{norm: f"{own}.{place}.{norm}" for norm in self.own.get(place, {})},
            **{norm: f"{own}.break.{broken}.{place}.{norm}" for norm in of_break.get(place, {})},
        }

    def phrase(self, key: str, numbers: Numbers | None = None) -> Phrase:
        """One of the lesson's texts before it is put into a language, with all its numbers.

        Args:
            key: of the text, in the lesson's own words.
            numbers: values for `{run:…}`, which the run has measured; None: none yet.
        """
        found = f"lessons/{self.name}.{key}"
        named = set().union(*(slots(text(found, code)) for code in languages()))
        values = {**self.settings, **(numbers or {})}
        return Phrase(found, {name: values[name] for name in sorted(named & values.keys())})

    def asked(self, text_key: str, answer_keys: Sequence[str]) -> dict[str, Any]:
        """A question and its answers as a class gets them, by their keys in the lesson's words."""

        def plain(key: str) -> str:
            return self.plain(text(f"lessons/{self.name}.{key}"))

        return {
            "text": plain(text_key), "text_phrase": self.phrase(text_key).plain(),
            "answers": [plain(key) for key in answer_keys],
            "answer_phrases": [self.phrase(key).plain() for key in answer_keys],
        }  # fmt: skip


def line_html(filled: str) -> Markup:
    """A line from `Filling`, which has escaped what does not come from our own files, as HTML."""
    return marked(LINK.sub(r'<a href="\2" target="_blank" rel="noopener">\1</a>', filled.strip()))


def plain_text(html: str) -> str:
    """HTML of a sentence as one line without markup."""
    return " ".join(unescape(MARKUP.sub("", html)).split())


def lesson_title(name: str) -> str:
    """The title of a lesson or a page of the course."""
    title: str = texts(f"lessons/{name}")["title"]
    return title


def lesson_words(name: str, lesson: Lesson | None) -> LessonWords:
    """The words of a lesson.

    Args:
        name: of the lesson; "" for the page that lists all, which has the frame's words alone.
        lesson: None for a page without a run.
    """
    return LessonWords(
        name, texts(f"lessons/{name}") if name else {}, texts("lessons"),
        lesson.named_values() if lesson else {},
    )  # fmt: skip


def answer_button(
    words: LessonWords,
    key: str,
    label: str,
    *,
    chosen: bool,
    disabled: bool,
    on_click: Callable[[], None],
    correct: bool = False,
) -> None:
    """Draw the button of an answer; it says if it is the chosen one, and if it is marked correct.

    Args:
        words: of the page.
        key: of the answer.
        label: its text.
        chosen: whether the reader has chosen it.
        disabled: whether it can no longer be chosen.
        on_click: takes the choice.
        correct: whether it is marked as the correct one.
    """
    frame = words.frame["predict"]
    notes = [frame[name] for name, said in (("yours", chosen), ("correct", correct)) if said]
    st.button(
        " ".join((label, *(f":gray[*{note}*]" for note in notes))), key=f"answer_{key}",
        width="stretch", disabled=disabled, type="primary" if chosen else "secondary",
        on_click=on_click,
    )  # fmt: skip


def beat_container(title: str, *, key: str) -> Any:
    """A container for a beat, under its title; the styles number those that stand on the page."""
    container = st.container(key=f"lesson_beat_{key}")
    with container:
        st.html(tag("h2", title, class_="lesson-beat"))
    return container
