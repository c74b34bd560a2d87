"""Sections (beats) of a lesson with a claim: the open section, and a line per finished section."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from bnviz.config import KNOBS
from bnviz.planned_runs.comparison import Comparison
from bnviz.ui.comparison import draw_comparison
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.knobs import LADDERS, choice_words, format_number
from bnviz.ui.lessons.code import draw_script
from bnviz.ui.lessons.curriculum import draw_next_lesson
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.own_verdict import draw_own_verdict
from bnviz.ui.lessons.prediction import draw_predict, draw_question, guess_line
from bnviz.ui.lessons.query import restart_knobs
from bnviz.ui.lessons.remembering import draw_remembering
from bnviz.ui.lessons.verdict import draw_findings_below, draw_verdict, outcome_line
from bnviz.ui.lessons.widgets import draw_widgets
from bnviz.ui.navigation import page_link
from bnviz.ui.query_schema import OWN_VERDICT, beats_of
from bnviz.words.joining import in_quotes


def draw_beats(opened: OpenLesson) -> None:
    """Draw the open section, earlier sections as lines, and buttons to neighbouring sections."""
    if opened.query.embed:
        # In a frame of another site, readers can only watch the run.
        draw_question(opened)
        draw_verdict(opened)
        return
    _draw_way_afresh(opened)
    beat, beats = opened.beat, beats_of(opened.lesson)
    for name in beats[: beats.index(beat)]:
        _draw_folded(opened, name)
    match beat:
        case "question":
            draw_remembering(opened.words)
            draw_question(opened)
            _draw_comparison(opened, "sets_up", opened.lesson.sets_up)
        case "predict":
            draw_predict(opened)
        case "verdict" if draw_verdict(opened):
            opened.note_seen()
        case "why":
            _draw_why(opened)
        case "break":
            _draw_break(opened)
        case _ if beat == OWN_VERDICT:
            draw_own_verdict(opened)
    _draw_ways_on(opened, beat)


def _draw_way_afresh(opened: OpenLesson) -> None:
    """Say that the lesson was finished before, and draw the button that starts it over."""
    frame = opened.words.frame["afresh"]
    if opened.query.guess is None or not opened.query.again:
        return
    with st.container(key="lesson_afresh"):
        st.caption(frame["shown" if opened.run.finished else "running"])
        st.button(
            frame["start"], key="lesson_start_afresh", type="tertiary",
            on_click=opened.afresh("question"),
        )  # fmt: skip


def _draw_folded(opened: OpenLesson, name: str) -> None:
    frame = opened.words.frame
    result = {
        "question": opened.words.own["short"], "predict": guess_line(opened),
        "verdict": outcome_line(opened), "why": "", "break": "",
    }[name]  # fmt: skip
    title = frame["beat"][name]
    # A link to other settings skips sections that the reader has not seen. Mark these sections
    # differently.
    done = opened.seen or opened.query.guess is not None or not opened.otherwise
    mark = "" if done else " lesson-passed"
    with st.container(key=f"lesson_done_{name}", horizontal=True):
        line = (tag("b", title), " ", tag("span", result))
        st.html(tag("p", *line, class_=f"lesson-done{mark}"))
        st.button(
            frame["fold"]["show"], key=f"lesson_show_{name}", type="tertiary",
            help=frame["fold"]["show_help"].format(beat=title), on_click=opened.go(beat=name),
        )  # fmt: skip


def _draw_why(opened: OpenLesson) -> None:
    words, own = opened.words, opened.words.own
    with words.beat("why"):
        words.draw("why")
        _draw_after(opened, "why")
        if opened.lesson.series_first:
            _draw_comparison(opened, "series", opened.lesson.series)
        with st.expander(words.frame["beat"]["more"]):
            for part in own["more"]:
                text = f"**{part['title']}**\n\n{words.filled(part['text'])}"
                st.markdown(text, unsafe_allow_html=True)
            draw_widgets(opened, "more")
            draw_script(opened.lesson.name, words)
        with st.expander(words.frame["beat"]["popular"]):
            items = (
                joined(
                    tag("dt", Markup(in_quotes(words.inline_html(each["says"])))),
                    tag("dd", words.html(each["seen"])),
                )
                for each in own["popular"]
            )
            st.html(tag("dl", *items, class_="lesson-popular"))
        draw_widgets(opened, "why")
    if not opened.lesson.series_first:
        _draw_comparison(opened, "series", opened.lesson.series)


def _draw_comparison(opened: OpenLesson, place: str, compared: Comparison | None) -> None:
    """Draw the runs of a comparison, if any; `place` is the key of its texts."""
    if compared is None:
        return
    words, own = opened.words, opened.words.own[place]
    named = {key: words.filled(name) for key, name in own.get("values", {}).items()}
    draw_comparison(
        compared.with_seed(opened.query.seed).called(named),
        {"title": own["title"], "text": words.html(own["text"]), "axis": own["axis"]},
    )


def _draw_break(opened: OpenLesson) -> None:
    """Draw the section `break`: try-it experiments, and the results of the open experiment."""
    words, query = opened.words, opened.query
    frame = words.frame["break"]
    with words.beat("break"):
        st.html(tag("p", frame["intro"]))
        first, *others = (each.name for each in opened.lesson.breaks)
        with st.container(key="lesson_break_first"):
            st.html(tag("p", frame["first"]))
            _draw_break_button(opened, first)
        _draw_reasons_so_far(opened)
        _draw_after(opened, "break")
        if others:
            st.html(tag("p", frame["others"]))
        for name in others:
            _draw_break_button(opened, name)
        if restart_knobs(opened.lesson):
            st.html(tag("p", frame["knobs"]))
            _draw_knobs(opened)
        if query.knobs:
            draw_findings_below(opened)
        if opened.otherwise:
            own_run = opened.go(broken=None, knobs={}, beat="verdict")
            st.button(frame["own"], type="tertiary", on_click=own_run)
        run_id = opened.run.tab_run.run_id
        asked = {**opened.run.tab_run.config.to_query(), **({"run": run_id} if run_id else {})}
        st.html(page_link("lab", frame["lab"], asked, data_run=run_id))


def _draw_break_button(opened: OpenLesson, name: str) -> None:
    """Draw the button of a try-it experiment, and its results if it is open."""
    label, is_open = opened.words.own["break"][name]["label"], name == opened.query.broken
    st.button(
        opened.words.filled(label), key=f"break_{name}", width="stretch",
        type="primary" if is_open else "secondary",
        on_click=opened.go(broken=name, knobs={}, beat="break"),
    )  # fmt: skip
    if is_open:
        draw_findings_below(opened)


def _draw_knobs(opened: OpenLesson) -> None:
    """Draw the knobs that restart the lesson's run; each changes the address."""
    own, present = opened.lesson.config(), opened.query.setting(opened.lesson)[0]
    for name in restart_knobs(opened.lesson):
        if name == "learning_rate" and present.learning_rates:
            continue  # each network has a rate of its own
        value = getattr(present, name)
        if value is None:  # the knob has no effect in this setting
            value = getattr(own, name)
        # Use a new widget for each value, because a browser may still send the old widget's value.
        key = f"lesson_knob_{name}_{value}"
        _draw_knob(name, value, key, partial(_set_knob, opened, name, getattr(own, name), key))


def _set_knob(opened: OpenLesson, name: str, own: Any, key: str) -> None:
    """Write a knob's new value into the address, or remove it if it equals `own`, the default."""
    value = st.session_state[key]
    knobs = {knob: given for knob, given in opened.query.knobs.items() if knob != name}
    knobs |= {} if value == own else {name: value}
    opened.go(broken=None, beat="break", knobs=knobs)()


def _draw_knob(name: str, value: Any, key: str, on_change: Callable[[], None]) -> None:
    knob, label = KNOBS[name], KNOBS[name].label
    if knob.kind == "bool":
        st.toggle(label, value, key=key, help=knob.help, on_change=on_change)
    elif knob.choices:
        choices = choice_words()
        st.segmented_control(
            label, knob.choices, default=value, key=key, required=True, help=knob.help,
            format_func=lambda choice: choices[choice], on_change=on_change,
        )  # fmt: skip
    else:
        rungs = sorted({*LADDERS[name], value})
        st.select_slider(
            label,
            rungs,
            value,
            key=key,
            format_func=format_number,
            help=knob.help,
            on_change=on_change,
        )


def _draw_reasons_so_far(opened: OpenLesson) -> None:
    """Draw the reasons for BN that the course has tested so far, if the lesson lists them."""
    frame, so_far = opened.words.frame["so_far"], opened.words.own.get("so_far")
    if so_far is None:
        return
    # The key of each sentence is the state of its reason, and is the same in every language.
    reasons = (
        tag("li", tag("span", frame[state], class_="lesson-state"), " ", sentence)
        for reason in so_far["reasons"]
        for state, sentence in reason.items()
    )
    head = tag("h3", frame["title"]), tag("p", so_far["intro"])
    st.html(tag("section", *head, tag("ol", *reasons), class_="lesson-so-far"))


def _draw_after(opened: OpenLesson, beat: str) -> None:
    """Draw the extra part after the text of a section, if the lesson has one."""
    words = opened.words
    own = words.own.get("after", {}).get(beat)
    if own is not None:
        parts = (tag("p", words.inline_html(line)) for line in own["lines"])
        st.html(tag("section", tag("h3", own["title"]), *parts, class_="lesson-so-far"))


def _draw_ways_on(opened: OpenLesson, beat: str) -> None:
    """Draw a dot per section, and buttons to the neighbouring sections or the next lesson."""
    frame, beats = opened.words.frame["fold"], beats_of(opened.lesson)
    number_before = beats.index(beat)
    after = len(beats) - number_before - 1
    looks = ["lesson-past"] * number_before + ["lesson-here"] + [""] * after
    dots = (tag("i", class_=look) for look in looks)
    place = frame["place"].format(place=number_before + 1, count=len(beats))
    with st.container(key="lesson_ways", horizontal=True):
        st.html(tag("p", *dots, class_="lesson-dots", role="img", aria_label=place))
        if number_before:
            back = opened.go(beat=beats[number_before - 1])
            st.button(frame["back"], key="lesson_back", on_click=back)
        hide = opened.query.hide
        if beat == "predict":
            _draw_way_to_run(opened)
        elif beat == beats[-1] or (hide and opened.run.finished):
            draw_next_lesson(opened.query.name, hide=hide)
        elif beat != "verdict" or (opened.seen and not hide):
            following = beats[number_before + 1]
            st.button(
                frame[f"to_{following}"], key=f"lesson_to_{following}", type="primary",
                on_click=opened.go(beat=following),
            )  # fmt: skip


def _draw_way_to_run(opened: OpenLesson) -> None:
    """Draw the button that starts the run (enabled after a guess), or the button to the verdict."""
    frame, guessed = opened.words.frame["fold"], opened.query.guess is not None
    if opened.guessing:
        st.button(
            frame["run"], key="lesson_run", type="primary", on_click=opened.begin(beat=None),
            disabled=not guessed,
        )  # fmt: skip
    elif guessed:
        st.button(
            frame["to_verdict"], key="lesson_to_verdict", type="primary",
            on_click=opened.go(beat="verdict"),
        )  # fmt: skip
