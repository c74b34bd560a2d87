"""Teaching help of a lesson: a sentence to say, common misconceptions, and links for a class."""

from __future__ import annotations

from dataclasses import replace

from bnviz.lessons import place_of
from bnviz.ui.html import Markup, tag
from bnviz.ui.lessons.query import LessonQuery
from bnviz.words.texts import texts


def for_teachers(query: LessonQuery) -> Markup:
    """Return the help for one lesson. Its links keep the settings, but not the reader's verdict."""
    own, frame = texts(f"lessons/{query.name}")["teacher"], texts("lessons")["teacher"]
    ways: dict[str, dict[str, object]] = {
        "present_off" if query.present else "present": {"present": not query.present},
        "hide": {"hide": True, "guess": None, "beat": None},
    }
    if place_of(query.name) != 0:  # the tour has no claim, so it has no worksheet
        ways["print"] = {"printed": True, "guess": None, "beat": None}
    links = []
    for label, changes in ways.items():
        target = replace(query, run=None, again=False, account=None, because="", **changes)  # type: ignore[arg-type]
        links += [target.link(frame[label]), " "]
    return tag(
        "div",
        tag("p", tag("em", frame["say"]), " ", own["say"]),
        tag("p", tag("em", frame["misconceptions"])),
        tag("ul", *(tag("li", each) for each in own["misconceptions"])),
        tag("p", *links), class_="lesson-teachers",
    )  # fmt: skip
