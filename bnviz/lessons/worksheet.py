"""A lesson as a sheet of paper: goals, open play, the guess, what was seen, why; and its key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bnviz.config import KNOBS
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.words import TERM, Filling
from bnviz.words.joining import in_list, quoted, sentences
from bnviz.words.texts import texts

LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]+\)")


@dataclass(frozen=True, kw_only=True)
class Worksheet:
    """What stands on a sheet, without markup; numbers of the lesson's setting are filled in.

    Attributes:
        title: of the lesson.
        goals: what a learner can do afterwards.
        knobs: labels of what can be moved in open play.
        question: its paragraphs.
        predict: what is asked before the run.
        draws: whether the guess is a curve.
        answers: that can be chosen.
        watch: where to look during the run.
        breaks: settings of *now break it*.
        claim: of the lesson, which its run tests. This and what follows is for the teacher.
        ideas: what somebody thinks who gives an answer, by answer.
        why: the explanation.
        popular: what is often said, and what is seen instead.
        say: one sentence to say.
        misconceptions: what people often think.
    """

    title: str
    goals: tuple[str, ...]
    knobs: tuple[str, ...]
    question: tuple[str, ...]
    predict: str
    draws: bool
    answers: tuple[str, ...]
    watch: str
    breaks: tuple[str, ...]
    claim: str
    ideas: Mapping[str, str]
    why: str
    popular: Mapping[str, str]
    say: str
    misconceptions: tuple[str, ...]


def worksheet(lesson: Lesson) -> Worksheet:
    """The sheet of a lesson with a claim, in the present language."""
    own = texts(f"lessons/{lesson.name}")
    settings = lesson.named_values()

    def plain(text: str) -> str:
        return _plain(Filling(settings).sentence(TERM.sub(_shown, text)))

    drawing: Mapping[str, Any] | None = own.get("drawing")
    draws = lesson.drawing is not None and drawing is not None
    answers = {key: plain(own["answers"][key]) for key in lesson.answers}
    return Worksheet(
        title=own["title"], goals=tuple(map(plain, own["goals"])),
        knobs=tuple(KNOBS[name].label for name in lesson.knobs if name in KNOBS),
        question=tuple(map(plain, own["question"].strip().split("\n\n"))),
        predict=plain(drawing["prompt"] if draws and drawing else own["predict"]),
        draws=draws, answers=tuple(answers.values()), watch=plain(own["watch"]),
        breaks=tuple(plain(own["break"][each.name]["label"]) for each in lesson.breaks),
        claim=plain(own["verdict"]["claim"]),
        ideas={text: plain(own["ideas"][key]) for key, text in answers.items()},
        why=plain(own["why"]),
        popular={plain(each["says"]): plain(each["seen"]) for each in own["popular"]},
        say=plain(own["teacher"]["say"]),
        misconceptions=tuple(map(plain, own["teacher"]["misconceptions"])),
    )  # fmt: skip


def to_markdown(sheet: Worksheet, address: str, *, key: bool) -> str:
    """The sheet as Markdown that a teacher can edit.

    Args:
        sheet: the lesson's.
        address: of the lesson, for the class.
        key: whether the key stands below.
    """
    words: Mapping[str, Any] = texts("lessons")["sheet"]
    line = "______________________________________________"
    parts = [
        f"# {sheet.title}", f"{words['name']}: {line}", f"<{address}>",
        f"## {words['goals']}", _listed(sheet.goals),
        f"## {words['play']}", play_sentence(sheet), *[line] * 2,
        f"## {words['question']}", *sheet.question,
        f"## {words['guess']}", sheet.predict,
        *([words["draw"]] if sheet.draws else []),
        _listed(f"☐ {answer}" for answer in sheet.answers),
        words["because"], *[line] * 2,
        f"## {words['seen']}", sheet.watch, words["outcome"], words["numbers"], *[line] * 2,
        f"## {words['why']}", words["explain"], *[line] * 4,
        f"## {words['break']}",
        "\n".join([
            f"| {words['setting']} | {words['expect']} | {words['happened']} |",
            "| --- | --- | --- |",
            *(f"| {name} | | |" for name in sheet.breaks),
        ]),
    ]  # fmt: skip
    if key:
        parts += [
            f"# {words['key']}", f"**{words['claim']}** {sheet.claim}",
            f"## {words['ideas']}", _listed(f"{a} *{idea}*" for a, idea in sheet.ideas.items()),
            f"## {words['why']}", sheet.why,
            f"## {words['popular']}",
            _listed(sentences((quoted(s), seen)) for s, seen in sheet.popular.items()),
            f"## {words['misconceptions']}", _listed(sheet.misconceptions),
            f"**{words['say']}** {sheet.say}",
        ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def play_sentence(sheet: Worksheet) -> str:
    """What to do in open play."""
    words: Mapping[str, Any] = texts("lessons")["sheet"]
    return str(words["play_text"]).format(knobs=in_list(sheet.knobs))


def _listed(items: Any) -> str:
    return "\n".join(f"- {item}" for item in items)


def _shown(found: re.Match[str]) -> str:
    """A word of the glossary as it stands in a text."""
    return found.group(2) or str(texts("glossary")[found.group(1)]["word"])


def _plain(markdown: str) -> str:
    """A text without links, emphasis and line breaks."""
    return " ".join(LINK.sub(r"\1", markdown).replace("**", "").replace("*", "").split())
