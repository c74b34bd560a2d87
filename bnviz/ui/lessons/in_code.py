"""Page `in-code`: batch norm as code, in other frameworks, and a class with faults to find."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from bnviz.lessons.in_code import FAULTS, VALUES, FaultyLine, line_numbers, measured, source
from bnviz.ui.html import tag
from bnviz.ui.lessons.code import draw_code, script_links
from bnviz.ui.lessons.words import LessonWords, answer_button
from bnviz.words.joining import in_range, sentences

# Session-state key of the answer that was given to each question.
GUESSES = "in_code_guesses"
LAYER, FAULTY = ("layer.py", "BatchNorm"), ("faulty.py", "FaultyBatchNorm")


def draw_in_code(words: LessonWords) -> bool:
    """Draw the page, and return whether every question is answered."""
    words = replace(words, settings={**measured(), **VALUES})
    own = words.own
    _draw_heading(own["layer"]["title"])
    st.markdown(words.filled(own["layer"]["text"]), unsafe_allow_html=True)
    draw_code(source(*LAYER))
    _draw_heading(own["elsewhere"]["title"])
    for part in own["elsewhere"]["parts"]:
        text = f"**{part['title']}.** {words.filled(part['text'])}"
        st.markdown(text, unsafe_allow_html=True)
    _draw_heading(own["scripts"]["title"])
    st.html(words.html(own["scripts"]["text"]) + script_links())
    _draw_heading(own["faults"]["title"])
    st.markdown(words.filled(own["faults"]["text"]), unsafe_allow_html=True)
    draw_code(source(*FAULTY))
    guesses: dict[str, str] = st.session_state.setdefault(GUESSES, {})
    for number, fault in enumerate(FAULTS, 1):
        _draw_fault(words, fault, number, guesses)
        if fault.name not in guesses:
            return False
    return True


def _draw_heading(title: str) -> None:
    st.html(tag("h2", title))


def _draw_fault(
    words: LessonWords, fault: FaultyLine, number: int, guesses: dict[str, str]
) -> None:
    """Draw a question about a fault; after the answer, also its explanation and a check's code."""
    own, frame = words.own["fault"][fault.name], words.own["faults"]
    guess = guesses.get(fault.name)
    with st.container(key=f"lesson_fault_{fault.name}"):
        st.html(tag("h3", f"{number} · {own['title']}"))
        st.markdown(words.filled(own["asks"]), unsafe_allow_html=True)
        for key in fault.answers:
            answer_button(
                words, f"{fault.name}_{key}", words.filled(own["answers"][key]),
                chosen=key == guess, correct=guess is not None and key == fault.right,
                disabled=guess not in (None, key),
                on_click=partial(_choose, fault, key),
            )  # fmt: skip
        if guess is None:
            return
        st.markdown(words.filled(own["says"]), unsafe_allow_html=True)
        with st.container(key=f"lesson_lines_{fault.name}"):
            text = sentences((_where(words, fault), words.filled(own["cause"])))
            st.markdown(text, unsafe_allow_html=True)
        with st.expander(frame["check"]):
            draw_code(source("checks.py", fault.check))


def _where(words: LessonWords, fault: FaultyLine) -> str:
    """Return a sentence with the line numbers of the fault and of the correct lines."""
    frame, mended = words.own["faults"], line_numbers(source(*LAYER), fault.mended)
    if not fault.lines:
        return str(frame["missing"]).format(mended=_listed(mended))
    lines = line_numbers(source(*FAULTY), fault.lines)
    return str(frame["lines"]).format(lines=_listed(lines), mended=_listed(mended))


def _listed(numbers: tuple[int, ...]) -> str:
    """Format consecutive line numbers as a range."""
    first, last = min(numbers), max(numbers)
    return str(first) if first == last else in_range(first, last)


def _choose(fault: FaultyLine, key: str) -> None:
    """Store the first guess; later guesses do not replace it."""
    st.session_state.setdefault(GUESSES, {}).setdefault(fault.name, key)
