"""What a run says of a lesson's claim, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import KNOBS
from bnviz.lessons.lesson import End, Lesson, Verdict
from bnviz.lessons.watched import NotMeasured
from bnviz.lessons.words import FORMATS, Filling, markdown_to_html, told_as
from bnviz.texts import texts
from bnviz.ui.knobs import network_labels
from bnviz.ui.ladders import number
from bnviz.ui.lessons.networks import with_lines
from bnviz.ui.lessons.running import Running
from bnviz.ui.lessons.said import Said, own_names
from bnviz.ui.lessons.visit import Visit


@dataclass(frozen=True)
class Judgement:
    """What the sentences need.

    Attributes:
        visit: what the address says.
        lesson: whose run it is.
        said: the lesson's words.
        running: its run.
    """

    visit: Visit
    lesson: Lesson
    said: Said
    running: Running

    def sentences(self, verdict: Verdict) -> str:
        """All of it as HTML."""
        frame, words = self.said.frame["verdict"], self.said.words
        outcome = f"<strong>{escape(frame[verdict.outcome])}</strong>"
        if verdict.missing is not None:
            missing = verdict.missing
            reason = self.said.plain(
                "verdict", "missing", knob=KNOBS[missing.knob].label,
                needed=self._knob(missing.needed), found=self._knob(missing.found),
            )  # fmt: skip
            return f"<p>{outcome} {reason} {' '.join(self.reached(verdict.ends))}</p>"
        if verdict.ended_at is not None:
            reason = self.said.plain("verdict", "early", step=str(verdict.ended_at))
            return f"<p>{outcome} {reason} {' '.join(self.reached(verdict.ends))}</p>"
        told = self.said.sentences(words["verdict"][verdict.outcome], verdict.numbers)
        told = with_lines(told, self.running.config.norms, self._own)
        claim = self.said.filled(words["verdict"]["claim"])
        claim = self.said.plain("verdict", "claim", claim=claim)
        judged = f"<p class='lesson-outcome'>{claim} {outcome}</p>"
        # What the run says comes first: it is in sight, however many numbers it rests on.
        rest = f"<summary>{escape(frame['rest'])}</summary>{told}"
        # What stands below with numbers of its own is explained there: it may not be missed.
        shown = " open" if self.lesson.widgets.get("verdict") else ""
        rest = f"<details class='lesson-rest'{shown}>{rest}</details>"
        return f"{self._lead(verdict)}{self._beside(verdict)}{judged}{rest}"

    def _lead(self, verdict: Verdict) -> str:
        """A sentence on each network, in its colour: the first that has numbers."""
        styles = theme(st.context.theme.type == "dark").networks(self.running.config.norms)
        told = ""
        for name, sentences in self.said.words["verdict"]["lead"].items():
            filled = Filling(self.said.settings, verdict.numbers).sentences(sentences)
            if filled:
                colour = f" style='color: {styles[name].text}'" if name in styles else ""
                told += f"<p{colour}>{markdown_to_html(filled[0], block=False)}</p>"
        return f"<div class='lesson-lead'>{told}</div>"

    def _beside(self, verdict: Verdict) -> str:
        """The guess beside what the run says; neither is called right."""
        guess, says = self.visit.guess, self.said.words["says"]
        run = self.said.html(says[verdict.answer], verdict.numbers) if verdict.answer else ""
        run = run.removeprefix("<p>").removesuffix("</p>")
        if guess is None:
            return f"<p>{self.said.frame['verdict']['no_guess'].format(run=run)}</p>" if run else ""
        answer = self.lesson.answer_of(guess)
        if answer is None:
            told = self.said.frame["drawing"]["other" if run else "neither"]
            told = told.format(run=run, answers=escape(self.said.usual(), quote=False))
            return f"<p>{told} {self._distance()}</p>"
        key = "none" if not run else ("same" if answer == verdict.answer else "other")
        drawn = self.visit.drawn is not None
        text = self.said.frame["drawing" if drawn else "verdict"][f"{key}_answer" if drawn else key]
        idea = self.said.frame["verdict"]["idea"].format(idea=self.said.words["ideas"][answer])
        words = self.said.words
        guessed = self.said.filled(told_as(words, answer)) if drawn else self.said.answer(answer)
        told = text.format(guess=escape(guessed), run=run)
        return f"<p>{told} {self._distance()}</p><p class='lesson-idea'>{escape(idea)}</p>"

    def _distance(self) -> str:
        """How far what was drawn lies from what was measured; "" where nothing was drawn."""
        drawing, points = self.lesson.drawing, self.visit.drawn
        if drawing is None or points is None:
            return ""
        try:
            far = drawing.distance(points, drawing.measured(self.running.watched()))
        except (NotMeasured, ValueError):
            return ""
        key = "distance_percent" if drawing.percent else "distance"
        return self.said.plain("drawing", key, far=FORMATS["plain"](far))

    @property
    def _own(self) -> Mapping[str, str]:
        """The names that networks have in this lesson, or in the break that is run, alone."""
        return own_names(self.said.words, self.visit.broken, "called")

    def reached(self, found: Mapping[str, End]) -> list[str]:
        """A sentence on how each network ended."""
        names = {**network_labels(self.running.lab), **self._own}
        told = []
        for norm, end in found.items():
            if end.stopped is not None:
                key, value = "stopped", {"step": str(end.stopped)}
            else:
                key, value = "reached", {"share": FORMATS["percent"](end.accuracy or 0)}
            told.append(self.said.plain("verdict", key, network=names[norm], **value))
        return told

    def _knob(self, value: object) -> str:
        """A knob's value as a sentence has it."""
        if isinstance(value, bool):
            return str(self.said.frame["choice"]["on" if value else "off"])
        if isinstance(value, int | float):
            return number(value)
        return str(texts("lab")["choice"].get(value, value))
