"""Results of a lesson's run: what to watch before its end, and the verdict at its end."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from html import escape

import streamlit as st

from bnviz.actions import ACTIONS
from bnviz.charts.theme import theme
from bnviz.config import KNOBS
from bnviz.lessons.lesson import End, Verdict, ends
from bnviz.lessons.observation import NotMeasured
from bnviz.lessons.words import Filling
from bnviz.planned_runs.comparison import ComparisonResult
from bnviz.ui.knobs import network_labels
from bnviz.ui.lessons.network_names import mark_networks
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.prediction import guess_line
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.widgets import draw_widgets
from bnviz.ui.lessons.words import LessonWords, beat_container, line_html
from bnviz.ui.report import knob_text
from bnviz.words.joining import sentences
from bnviz.words.numbers import FORMATS

# Seconds between checks of whether everything is measured.
POLL_SECONDS = 1.0


def draw_verdict(opened: OpenLesson) -> bool:
    """Draw the section `verdict`, and return whether it shows the results of an ended run."""
    words, run = opened.words, opened.run
    finished = run.finished and opened.tried and not opened.query.waits(opened.lesson)
    title = words.frame["beat"]["verdict" if finished else "watch"]
    with beat_container(title, key="verdict"):
        if finished:
            said = _draw_findings(opened)
        else:
            said = False
            _draw_start(opened)
            words.draw("watch")
            if opened.tried:
                _draw_progress(opened)
            else:
                st.caption(words.frame["watch"]["try"])
        if not opened.query.embed:
            draw_widgets(opened, "verdict")
    return said


def draw_findings_below(opened: OpenLesson) -> None:
    """Draw the results or the progress of a run with other settings, below its controls."""
    with st.container(key="lesson_said"):
        if opened.run.finished:
            _draw_findings(opened)
        else:
            _draw_progress(opened)


def outcome_line(opened: OpenLesson) -> str:
    """Return the outcome of the lesson's own run in a few words, or "" if there is none."""
    if opened.otherwise or not (opened.run.finished and opened.tried) or opened.query.hide:
        return ""
    verdict = opened.verdict()
    return str(opened.words.frame["verdict"][verdict.outcome]) if verdict else ""


def _draw_start(opened: OpenLesson) -> None:
    """Draw the results of step 0 before the run continues, if the lesson has a text for them."""
    tell, words = opened.lesson.starts, opened.words
    if tell is None or opened.query.hide or opened.query.waits(opened.lesson):
        return
    with suppress(NotMeasured):
        numbers = tell(opened.run.observed)
        st.html(words.sentences(words.own["starts"], numbers))


def _draw_progress(opened: OpenLesson) -> None:
    """Draw the progress of the run, and a button that continues it."""
    words, run = opened.words, opened.run
    if run.finished or opened.query.embed or opened.query.waits(opened.lesson):
        return
    if run.comparing is not None:
        st.caption(_place_text(opened, run.comparing))
    if run.lags:
        poll_again()
        return
    last, step = run.plan.last_step, run.step
    hidden = "_hidden" if opened.query.hide else ""
    if run.playing:
        if run.comparing is None:
            st.caption(words.framed("watch", f"running{hidden}", step=last))
        return
    if step > 0 and run.comparing is None:
        st.caption(words.framed("watch", f"paused{hidden}", step=last, at=step))
    label, key = ("go_on", "lesson_go_on") if run.begun else ("start", "lesson_play")
    st.button(words.frame["watch"][label], key=key, type="primary", on_click=run.play)


def _place_text(opened: OpenLesson, result: ComparisonResult) -> str:
    """Return a text that names the current run of a comparison."""
    count = len(result.comparison.settings)
    name = opened.words.filled(opened.words.own["ladder"][result.value])
    return opened.words.framed("watch", "member", place=result.index + 1, count=count, name=name)


def _draw_findings(opened: OpenLesson) -> bool:
    """Draw the results of an ended run once they are measured. Return false if they are hidden."""
    query, words = opened.query, opened.words
    if query.hide:
        st.caption(words.frame["verdict"]["hidden"])
        return False
    html = findings_html(opened)
    if html is None:
        # Readers may continue during the measurement, because slow probes take a while on a busy
        # machine.
        wait_for_measuring(words, opened.run)
        return True
    if query.broken is not None:
        label = escape(words.filled(words.own["break"][query.broken]["label"]))
        st.html(f"<p>{words.frame['break']['shown'].format(label=label)}</p>")
    st.html(f"<div role='status'>{html}</div>")
    if query.broken is None and not query.embed:
        st.button(
            words.frame["verdict"]["seed"], type="tertiary", key="other_seed",
            on_click=opened.go(seed=query.next_seed, beat="verdict"),
        )  # fmt: skip
    return True


def findings_html(opened: OpenLesson) -> str | None:
    """Return the verdict, or the results of a try-it experiment, in HTML; None if not measured."""
    if opened.query.broken is None:
        verdict = opened.verdict()
        return verdict_html(opened, verdict) if verdict else None
    try:
        return _break_html(opened, opened.query.broken)
    except NotMeasured:
        return None


def _break_html(opened: OpenLesson, name: str) -> str:
    words, observed = opened.words, opened.run.observed
    chosen, own = opened.lesson.try_named(name), words.own["break"][name]
    more = end_sentences(opened, ends(observed)) if chosen.ends else ()
    html = words.sentences(own.get("seen", ()), chosen.tell(observed), more)
    return mark_networks(html, opened.run.config.norms, words.network_names(name, "called"))


def verdict_html(opened: OpenLesson, verdict: Verdict) -> str:
    """Return a verdict in HTML. No sentence calls a guess right or wrong."""
    words = opened.words
    frame, own = words.frame["verdict"], words.own["verdict"]
    outcome = f"<strong>{escape(frame[verdict.outcome])}</strong>"
    reason = _not_judged(words, verdict)
    if reason:
        return f"<p>{sentences((outcome, reason, *end_sentences(opened, verdict.ends)))}</p>"
    names = words.network_names(opened.query.broken, "called")
    measured = words.sentences(own[verdict.outcome], verdict.numbers)
    claim = words.framed("verdict", "claim", claim=words.filled(own["claim"]))
    # Collapse the list of numbers, so that the outcome is visible. Keep it open if the numbers
    # explain a widget below.
    shown = " open" if opened.lesson.widgets.get("verdict") else ""
    return (
        f"{_lead_html(opened, verdict)}{_guess_html(opened, verdict)}"
        f"<p class='lesson-outcome'>{sentences((claim, outcome))}</p>"
        f"<details class='lesson-rest'{shown}><summary>{escape(frame['rest'])}</summary>"
        f"{mark_networks(measured, opened.run.config.norms, names)}</details>"
    )


def _not_judged(words: LessonWords, verdict: Verdict) -> str:
    """Return the reason why the claim could not be judged, or ""."""
    missing = verdict.missing
    if missing is None:
        at = verdict.ended_at
        return "" if at is None else words.framed("verdict", "early", step=at)
    acted = missing.knob in ACTIONS
    named = {} if acted else {"knob": KNOBS[missing.knob].label}
    return words.framed(
        "verdict", "missing_action" if acted else "missing", **named,
        needed=knob_text("", missing.needed), found=knob_text("", missing.found),
    )  # fmt: skip


def _lead_html(opened: OpenLesson, verdict: Verdict) -> str:
    """Return for each network, in its colour, the first sentence whose numbers are measured."""
    styles = theme(st.context.theme.type == "dark").networks(opened.run.config.norms)
    html = ""
    for name, leads in opened.words.own["verdict"]["lead"].items():
        filled = Filling(opened.words.settings, verdict.numbers).sentences(leads)
        if filled:
            colour = f" style='color: {styles[name].text}'" if name in styles else ""
            html += f"<p{colour}>{line_html(filled[0])}</p>"
    return f"<div class='lesson-lead'>{html}</div>"


def _guess_html(opened: OpenLesson, verdict: Verdict) -> str:
    """Return the guess and the run's answer in HTML."""
    words, guess, drawn = opened.words, opened.query.guess, opened.query.drawn is not None
    says = words.own["says"]
    run = words.inline_html(says[verdict.answer], verdict.numbers) if verdict.answer else ""
    if guess is None:
        return f"<p>{words.frame['verdict']['no_guess'].format(run=run)}</p>" if run else ""
    answer = opened.lesson.answer_of(guess)
    if answer is None:
        meaning = escape(guess_line(opened), quote=False)
        said = words.frame["drawing"]["run" if run else "run_none"].format(run=run)
        return f"<p>{_with_distance(opened, sentences((meaning, said)))}</p>"
    key = "none" if not run else ("same" if answer == verdict.answer else "other")
    frame = words.frame["drawing" if drawn else "verdict"]
    guessed = words.answer(answer, drawn=drawn)
    text = frame[f"{key}_answer" if drawn else key].format(guess=escape(guessed), run=run)
    idea = words.frame["verdict"]["idea"].format(idea=words.own["ideas"][answer])
    return f"<p>{_with_distance(opened, text)}</p><p class='lesson-idea'>{escape(idea)}</p>"


def _with_distance(opened: OpenLesson, text: str) -> str:
    return sentences(filter(None, (text, _distance_text(opened))))


def _distance_text(opened: OpenLesson) -> str:
    """Return in words the distance between the drawn and the measured curve, or "" if unknown."""
    drawing, points = opened.lesson.drawing, opened.query.drawn
    if drawing is None or points is None:
        return ""
    try:
        distance = drawing.distances(points, drawing.measured_curves(opened.run.observed))
    except (NotMeasured, ValueError):
        return ""
    key = "distance_percent" if drawing.percent else "distance"
    key += "_many" if len(drawing.curves) > 1 else ""
    return opened.words.framed("drawing", key, far=FORMATS["plain"](distance))


def end_sentences(opened: OpenLesson, found: Mapping[str, End]) -> list[str]:
    own = opened.words.network_names(opened.query.broken, "called")
    names = {**network_labels(opened.run.tab_run), **own}
    return [
        opened.words.framed(
            "verdict", "reached" if end.stopped is None else "stopped", network=names[norm],
            step=end.stopped, share=FORMATS["percent"](end.accuracy or 0),
        )
        for norm, end in found.items()
    ]  # fmt: skip


def wait_for_measuring(words: LessonWords, run: LessonRun) -> None:
    """Show that the ended run is still being measured, and run the script again every second.

    Do not wait if measurements will never come.
    """
    if run.step < run.plan.last_step:
        st.html(f"<p>{words.framed('verdict', 'early', step=run.step)}</p>")
        return
    if not run.is_measured_later:
        st.caption(words.frame["verdict"]["not_measured"])
        return
    st.caption(words.frame["watch"]["measuring"])
    poll_again()


def poll_again() -> None:
    """Rerun the script every second, for the first time one second after this script run."""
    drawn: list[bool] = []

    @st.fragment(run_every=POLL_SECONDS)
    def again() -> None:
        if drawn:
            st.rerun()
        drawn.append(True)

    again()
