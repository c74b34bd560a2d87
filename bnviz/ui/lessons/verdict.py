"""Names of networks in a lesson's sentences: each has the colour and line that it has in charts.

What stands where a run has ended, but what is to be said of it is not yet measured.

What a run says of a lesson's claim, in sentences.

What a run says of a lesson: while it is at work what to watch, then its verdict.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from bnviz.charts.theme import NetworkStyle, theme
from bnviz.config import KNOBS
from bnviz.lessons.lesson import End, Lesson, Verdict, ends
from bnviz.lessons.watched import NotMeasured
from bnviz.lessons.words import FORMATS, Filling, markdown_to_html, told_as
from bnviz.ui.knobs import network_labels, number
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.widgets import draw_widgets
from bnviz.ui.lessons.words import LessonWords, beat, own_names
from bnviz.words.texts import texts

TAG = re.compile(r"(<[^>]*>)")
# The lines of charts, as borders of a style sheet are called.
DRAWN = {"dash": "dashed", "longdash": "dashed", "dot": "dotted", "solid": "solid"}


def with_lines(html: str, norms: Sequence[str], own: Mapping[str, str]) -> str:
    """A text in which the names of networks stand in their colours, each after a piece of its line.

    Args:
        html: the text; within its tags nothing is a name.
        norms: the networks of the run, in order: their colours hang on it.
        own: (norm, name) of networks that are called something else here; another network's name
            may be a part of it.
    """
    names = texts("lessons")["called"]
    styles = theme(st.context.theme.type == "dark").networks(norms)
    known = {norm: (*names.get(norm, ()), *([own[norm]] if norm in own else ())) for norm in norms}
    called = {name.lower(): styles[norm] for norm in norms for name in known[norm]}
    if not called:
        return html
    longest_first = sorted(called, key=len, reverse=True)
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
    return "".join(
        part if part.startswith("<")
        else pattern.sub(lambda found: _marked(found[0], called[found[0].lower()]), part)
        for part in TAG.split(html)
    )  # fmt: skip


def _marked(name: str, style: NetworkStyle) -> str:
    look = (f"--network: {style.text}; --network-line: {style.line}; "
            f"--network-drawn: {DRAWN.get(style.dash, 'dashed')}")  # fmt: skip
    return f'<span class="lesson-network" style="{look}">{name}</span>'


MEASURED_EVERY = 1.0  # seconds


def wait_for_measuring(said: LessonWords, running: LessonRun) -> None:
    """Look again every second until everything is measured, for as long as the page is open.

    A run that has gone on, in the lab, is not measured at that step any more, one that ended early
    never, and a network whose mini-batch is too small not at all.
    """
    if running.step < running.plan.last_step:
        st.html(f"<p>{said.plain('verdict', 'early', step=str(running.step))}</p>")
        return
    gone_on = running.step > running.plan.last_step
    if gone_on or running.watched().stands_still:
        st.caption(said.frame["verdict"]["not_measured"])
        return
    st.caption(said.frame["watch"]["measuring"])

    drawn: list[bool] = []

    @st.fragment(run_every=MEASURED_EVERY)
    def look() -> None:
        if drawn:
            st.rerun()
        drawn.append(True)

    look()


@dataclass(frozen=True)
class VerdictText:
    """What the sentences need.

    Attributes:
        visit: what the address says.
        lesson: whose run it is.
        said: the lesson's words.
        running: its run.
    """

    visit: LessonQuery
    lesson: Lesson
    said: LessonWords
    running: LessonRun

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


def draw_verdict(opened: OpenLesson) -> bool:
    """Draw the beat; whether the run said something."""
    said, running = opened.said, opened.running
    finished = running.finished and opened.tried and not opened.visit.waits(opened.lesson)
    key = "verdict" if finished else "watch"
    with beat(said.frame["beat"][key], key="verdict"):
        told = _say(opened) if finished else _watch(opened)
        if not opened.visit.embed:
            draw_widgets(opened, "verdict")
    return told


def draw_verdict_below(opened: OpenLesson) -> None:
    """Draw what another setting says, or that it is at work, below the buttons that set it."""
    with st.container(key="lesson_said"):
        if opened.running.finished:
            _say(opened)
        else:
            _progress(opened)


def outcome_line(opened: OpenLesson) -> str:
    """What the lesson's own run said, in a word or two; "" where that is open."""
    if opened.otherwise or not (opened.running.finished and opened.tried) or opened.visit.hide:
        return ""
    try:
        verdict = opened.lesson.verdict(opened.running.watched())
    except NotMeasured:
        return ""
    return str(opened.said.frame["verdict"][verdict.outcome]) if verdict else ""


def _watch(opened: OpenLesson) -> bool:
    st.html(opened.said.html(opened.said.words["watch"]))
    if opened.tried:
        _progress(opened)
    else:
        st.caption(opened.said.frame["watch"]["try"])
    return False


def _progress(opened: OpenLesson) -> None:
    said, running = opened.said, opened.running
    if running.finished or opened.visit.embed or opened.visit.waits(opened.lesson):
        return
    step, at = str(running.plan.last_step), running.step
    if running.playing:
        st.caption(said.plain("watch", "running", step=step))
        return
    if at > 0:
        st.caption(said.plain("watch", "paused", step=step, at=str(at)))
    label, key = ("go_on", "lesson_go_on") if at > 0 else ("start", "lesson_play")
    st.button(said.frame["watch"][label], key=key, type="primary", on_click=running.play)


def _say(opened: OpenLesson) -> bool:
    if opened.visit.hide:
        st.caption(opened.said.frame["verdict"]["hidden"])
        return False
    try:
        _tell(opened)
    except NotMeasured:
        wait_for_measuring(opened.said, opened.running)
        return False
    return True


def _tell(opened: OpenLesson) -> None:
    visit, said, running = opened.visit, opened.said, opened.running
    watched, judgement = running.watched(), VerdictText(visit, opened.lesson, said, running)
    if visit.broken is not None:
        chosen = opened.lesson.break_named(visit.broken)
        label = escape(said.filled(said.words["break"][visit.broken]["label"]))
        st.html(f"<p>{said.frame['break']['shown'].format(label=label)}</p>")
        seen = said.words["break"][chosen.name].get("seen", ())
        more = judgement.reached(ends(watched)) if chosen.ends else ()
        told = said.sentences(seen, chosen.tell(watched), more)
        names = own_names(said.words, chosen.name, "called")
        lined = with_lines(told, running.config.norms, names)
        st.html(f"<div role='status'>{lined}</div>")
        return
    verdict = opened.lesson.verdict(watched)
    if verdict is None:
        raise NotMeasured("the last step")
    st.html(f"<div role='status'>{judgement.sentences(verdict)}</div>")
    if not visit.embed:
        st.button(
            said.frame["verdict"]["seed"], type="tertiary", key="other_seed",
            on_click=opened.go(seed=visit.next_seed, beat="verdict"),
        )  # fmt: skip
