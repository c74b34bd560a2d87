"""Texts of a lesson's page, filled with the numbers of its settings and run."""

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
from bnviz.words.joining import in_quotes, labelled
from bnviz.words.phrase import Phrase
from bnviz.words.texts import ENGLISH, languages, text, texts

LINK = re.compile(r"\[([^\[\]]+)\]\((https://[^()\s]+)\)")
# Markup that plain text omits, including explanations of terms, which are not part of a sentence.
MARKUP = re.compile(r'<span class="bnviz-says".*?</span>|<[^>]+>|[*_`]', re.DOTALL)


@dataclass(frozen=True)
class LessonWords:
    """Texts of a lesson, and texts that all lesson pages share.

    Attributes:
        name: lesson, or "" for the overview.
        own: texts in `lessons/<name>.toml`.
        frame: shared texts in `lessons.toml`.
        settings: values for `{setting:…}`.
    """

    name: str
    own: Mapping[str, Any]
    frame: Mapping[str, Any]
    settings: Numbers

    def filled(self, text: str, numbers: Numbers | None = None) -> str:
        """Fill a Markdown text; `numbers` are values for `{run:…}`, None if nothing is measured."""
        return Filling(self.settings, numbers).sentence(text)

    def html(self, text: str, numbers: Numbers | None = None) -> Markup:
        """Fill a text without formulas, and return it as HTML paragraphs."""
        parts = re.split(r"\n{2,}", self.filled(text, numbers).strip())
        return joined(*(tag("p", line_html(part)) for part in parts))

    def plain(self, text: str, numbers: Numbers | None = None) -> str:
        """Fill a text, and return it as one line without markup."""
        return plain_text(self.html(text, numbers))

    def inline_html(self, text: str, numbers: Numbers | None = None) -> Markup:
        """Fill a text, and return it as one line of HTML without a paragraph element."""
        return line_html(self.filled(text, numbers))

    def sentences(self, given: Iterable[str], numbers: Numbers, more: Iterable[str] = ()) -> Markup:
        """HTML list of the sentences whose numbers are all known, followed by `more` (HTML)."""
        filled = Filling(self.settings, numbers).sentences(given)
        rows = (tag("li", text) for text in (*map(line_html, filled), *map(Markup, more)))
        return tag("ul", *rows, class_="lesson-told")

    def entries(self, key: str) -> list[dict[str, Any]]:
        """Return a list of tables, whose `name` and `lesson` come from the English file."""
        english = texts(f"lessons/{self.name}", ENGLISH).get(key, ())
        return [
            {**said, **{field: own[field] for field in ("name", "lesson") if field in own}}
            for own, said in zip(english, self.own.get(key, ()), strict=True)
        ]

    def beat(self, name: str) -> Any:
        return beat_container(self.frame["beat"][name], key=name)

    def draw(self, key: str) -> None:
        st.html(self.html(self.own[key]))

    def answer(self, key: str, *, drawn: bool = False) -> str:
        """Return an answer's text as on its button; for a drawn curve, a shorter text if any."""
        shorter = self.own.get("drawing", {}).get("answers", {}) if drawn else {}
        return self.filled(shorter.get(key) or self.own["answers"][key])

    def quoted_answer(self, key: str, *, drawn: bool = False) -> str:
        """Return an answer in quotes, for use within a sentence."""
        return in_quotes(self.answer(key, drawn=drawn).rstrip(".。"))

    def short_guess(self, key: str) -> str:
        """Return the guess for a chart heading, with its short text for phones if there is one."""
        short = self.own.get("class", {}).get(key)
        answer = self.filled(short) if short else self.answer(key)
        return labelled(self.frame["predict"]["yours"], answer)

    def framed(self, table: str, key: str, **values: object) -> str:
        """Fill a shared sentence with values that are escaped for HTML."""
        safe = {name: escape(str(value), quote=False) for name, value in values.items()}
        return str(self.frame[table][key]).format(**safe)

    def network_names(self, broken: str | None, place: str) -> Mapping[str, str]:
        """Names of networks, by norm, in charts ("networks") or in sentences ("called")."""
        return {norm: text(key) for norm, key in self.network_keys(broken, place).items()}

    def network_keys(self, broken: str | None, place: str) -> Mapping[str, str]:
        """Text keys of the networks' names; a try-it experiment's names take precedence."""
        of_break = self.own["break"][broken] if broken else {}
        own = f"lessons/{self.name}"
        return {
            **{norm: f"{own}.{place}.{norm}" for norm in self.own.get(place, {})},
            **{norm: f"{own}.break.{broken}.{place}.{norm}" for norm in of_break.get(place, {})},
        }

    def phrase(self, key: str, numbers: Numbers | None = None) -> Phrase:
        """Phrase of a lesson's text, with the numbers that the text needs in any language."""
        found = f"lessons/{self.name}.{key}"
        named = set().union(*(slots(text(found, code)) for code in languages()))
        values = {**self.settings, **(numbers or {})}
        return Phrase(found, {name: values[name] for name in sorted(named & values.keys())})

    def asked(self, text_key: str, answer_keys: Sequence[str]) -> dict[str, Any]:
        """Question and answers for a class, from their text keys."""

        def plain(key: str) -> str:
            return self.plain(text(f"lessons/{self.name}.{key}"))

        return {
            "text": plain(text_key), "text_phrase": self.phrase(text_key).plain(),
            "answers": [plain(key) for key in answer_keys],
            "answer_phrases": [self.phrase(key).plain() for key in answer_keys],
        }  # fmt: skip


def line_html(filled: str) -> Markup:
    """Convert a line from `Filling`, which has escaped untrusted text, to HTML."""
    return marked(LINK.sub(r'<a href="\2" target="_blank" rel="noopener">\1</a>', filled.strip()))


def plain_text(html: str) -> str:
    """Text of a sentence given as HTML, in one line without markup."""
    return " ".join(unescape(MARKUP.sub("", html)).split())


def lesson_title(name: str) -> str:
    title: str = texts(f"lessons/{name}")["title"]
    return title


def lesson_words(name: str, lesson: Lesson | None) -> LessonWords:
    """Texts of a lesson, or of the overview (""); `lesson` is None for a page without a run."""
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
    """Draw the button of an answer, marked if it is the reader's choice or the correct answer."""
    frame = words.frame["predict"]
    notes = [frame[name] for name, said in (("yours", chosen), ("correct", correct)) if said]
    st.button(
        " ".join((label, *(f":gray[*{note}*]" for note in notes))), key=f"answer_{key}",
        width="stretch", disabled=disabled, type="primary" if chosen else "secondary",
        on_click=on_click,
    )  # fmt: skip


def beat_container(title: str, *, key: str) -> Any:
    """Return a container with a title; CSS numbers the sections on the page."""
    container = st.container(key=f"lesson_beat_{key}")
    with container:
        st.html(tag("h2", title, class_="lesson-beat"))
    return container
