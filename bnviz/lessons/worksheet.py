"""Printable worksheet of a lesson, with an answer key for the teacher."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bnviz.config import KNOBS
from bnviz.lessons.drawing import HIGHEST, Drawing
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.words import TERM, Filling
from bnviz.words.joining import in_list, in_quotes, percent, sentences
from bnviz.words.texts import texts

LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]+\)")
LINE = "______________________________________________"
HALVES = (0, 0.5, 1)
HEADS = ("setting", "expect", "happened")

# Piece of a sheet: its kind, which is a key of `MARKDOWN`, and its content.
Piece = tuple[str, Any]
# Parts of a sheet: the pieces below each heading, by the key of the heading.
Parts = Mapping[str, list[Piece]]


@dataclass(frozen=True, kw_only=True)
class Axes:
    """Empty axes for a drawing. The ticks in `steps` and `values` are (position 0 to 1, label)."""

    label: str
    across: str
    steps: tuple[tuple[float, str], ...]
    values: tuple[tuple[float, str], ...]


@dataclass(frozen=True, kw_only=True)
class Worksheet:
    """Contents of a sheet without markup: pages before and after the run, and the answer key."""

    title: str
    before: Parts
    after: Parts
    key: Parts


def worksheet(lesson: Lesson) -> Worksheet:
    """Return the worksheet of a lesson with a claim, in the current language."""
    own, words = texts(f"lessons/{lesson.name}"), texts("lessons")["sheet"]
    plain = partial(_plain, Filling(lesson.named_values()))
    knobs = in_list(KNOBS[name].label for name in lesson.knobs if name in KNOBS)
    answers = {key: plain(own["answers"][key]) for key in lesson.answers}
    guess: list[Piece] = [("text", plain(own["predict"]))]
    if lesson.drawing is not None:
        guess = [("text", plain(own["drawing"]["prompt"])), ("axes", _axes(lesson.drawing))]
    teacher = own["teacher"]
    return Worksheet(
        title=own["title"],
        before={
            "goals": [("list", [*map(plain, own["goals"])])],
            "play": [("text", words["play_text"].format(knobs=knobs)), ("lines", 2)],
            "question": [("text", plain(part)) for part in own["question"].strip().split("\n\n")],
            "guess": [
                *guess, ("answers", [*answers.values()]), ("text", words["because"]), ("lines", 2)
            ],
        },
        after={
            "seen": [
                ("text", plain(own["watch"])), ("text", words["outcome"]),
                ("text", words["numbers"]), ("lines", 3),
            ],
            "why": [("text", words["explain"]), ("lines", 5)],
            "break": [("settings", [plain(own["break"][b.name]["label"]) for b in lesson.breaks])],
        },
        key={
            "key": [("text", f"**{words['claim']}** {plain(own['verdict']['claim'])}")],
            "ideas": [
                ("list", [f"{text} *{plain(own['ideas'][key])}*" for key, text in answers.items()])
            ],
            "why": [("text", plain(own["why"]))],
            "popular": [
                ("list", [sentences((in_quotes(plain(each["says"])), plain(each["seen"])))
                          for each in own["popular"]])
            ],
            "misconceptions": [
                ("list", [*map(plain, teacher["misconceptions"])]),
                ("text", f"**{words['say']}** {plain(teacher['say'])}"),
            ],
        },
    )  # fmt: skip


def to_markdown(sheet: Worksheet, address: str, *, key: bool) -> str:
    """Return the sheet as Markdown that a teacher can edit; `key` adds the answer key."""
    words: Mapping[str, str] = texts("lessons")["sheet"]
    lines = [f"# {sheet.title}", f"{words['name']}: {LINE}", f"<{address}>"]
    for parts in (sheet.before, sheet.after, *([sheet.key] if key else [])):
        for name, pieces in parts.items():
            lines.append(f"{'#' if name == 'key' else '##'} {words[name]}")
            lines += [MARKDOWN[kind](content) for kind, content in pieces]
    return "\n\n".join(lines) + "\n"


def _axes(drawing: Drawing) -> Axes:
    values = [round(HIGHEST * place) for place in HALVES]
    return Axes(
        label=texts("lessons")["sheet"]["draw"], across=texts("charts")["common"]["step"],
        steps=tuple(
            (step / drawing.last_step, str(step))
            for step in sorted({0, *drawing.steps, drawing.last_step})
        ),
        values=tuple(
            (place, percent(str(value)) if drawing.percent else str(value))
            for place, value in zip(HALVES, values, strict=True)
        ),
    )  # fmt: skip


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(settings: Iterable[str]) -> str:
    words = texts("lessons")["sheet"]
    heads = " | ".join(words[name] for name in HEADS)
    rows = (f"| {name} | | |" for name in settings)
    return "\n".join((f"| {heads} |", "| --- | --- | --- |", *rows))


# Function that formats each kind of piece: paragraph, list, answers to choose from, lines to write
# on, axes to draw in, and table of settings to fill in.
MARKDOWN: Mapping[str, Callable[[Any], str]] = {
    "text": str,
    "list": _listed,
    "answers": lambda answers: _listed(f"☐ {answer}" for answer in answers),
    "lines": lambda count: "\n\n".join([LINE] * count),
    "axes": lambda axes: axes.label,
    "settings": _table,
}


def _plain(filling: Filling, text: str) -> str:
    """Fill in a text, and remove links, emphasis and line breaks."""
    markdown = LINK.sub(r"\1", filling.sentence(TERM.sub(_shown, text)))
    return " ".join(markdown.replace("**", "").replace("*", "").split())


def _shown(found: re.Match[str]) -> str:
    """Return the words that the page shows for a glossary term found in a text."""
    return found.group(2) or str(texts("glossary")[found.group(1)]["word"])
