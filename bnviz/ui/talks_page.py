"""Talks page: the app's talks, a talk from a file or a link, and stored runs.

The browser sends the text of a user's talk (`assets/own_talk.js`). The page checks and stores this
text (`bnviz.own_talks`). The server itself fetches no files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import streamlit as st

from bnviz.config import KNOBS
from bnviz.live import LiveError, current_hub
from bnviz.live.runs.run import RunInfo
from bnviz.locations import locations
from bnviz.own_talks.file import MOST_BYTES, TalkFileError
from bnviz.own_talks.talk_cache import keep_talk, kept_talk, pack, unpack
from bnviz.own_talks.writing import write_talk
from bnviz.talks.talk import TALKS, words_of
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import answer, joined, prose, tag
from bnviz.ui.navigation import page_link
from bnviz.ui.sitemap import page_address
from bnviz.ui.talks import talk_links
from bnviz.ui.visitor import owner
from bnviz.words.joining import in_list
from bnviz.words.phrase import error_text
from bnviz.words.texts import Words, texts

# Key of the component, and session-state key of the result of the last submitted talk.
KEY, STATE = "own_talk", "own_talk_given"
# Session-state key of the reason why a stored run could not be released.
REFUSED = "own_talk_given_refused"
# Talk offered as an example to start from.
EXAMPLE = "first-five-minutes"
# Maximum number of knobs in the description of a run.
MOST_KNOBS = 4


@dataclass(frozen=True)
class Given:
    """Result of submitting a talk: its name in storage ("" if refused), and the problems found."""

    name: str = ""
    problems: tuple[str, ...] = ()


def draw_talks() -> None:
    words = texts("talks")["page"]
    st.html(locations().assets / "talks_page.css")
    with st.container(key="talks_page"):
        st.html(tag("h1", words["title"]))
        st.html(tag("h2", words["apps"]))
        st.html(talk_links())
        st.html(joined(tag("h2", words["own"]), tag("p", words["own_text"])))
        _draw_own(words)
        _draw_kept_runs(words)


def _draw_own(words: Words) -> None:
    """Draw the form for submitting a talk, and the talk submitted last."""
    given: Given = st.session_state.get(STATE, Given())
    kept = kept_talk(given.name) if given.name else None
    said = words_of(given.name, kept.talk) if kept else None
    component(KEY)(
        key=KEY,
        data={
            **drawn_by("own_talk.js"), "texts": words["give"], "most": MOST_BYTES,
            "example": write_talk(EXAMPLE, TALKS[EXAMPLE]),
            "text": kept.text if kept else None, "title": said.title if said else "",
            "link": f"{page_address('talks')}#talk={pack(kept.text)}" if kept else None,
        },
        on_given_change=_take,
    )  # fmt: skip
    if given.problems:
        rows = (tag("li", prose(problem)) for problem in given.problems)
        told = tag("p", words["wrong"]), tag("ul", *rows)
        st.html(tag("div", *told, class_="bnviz-talk-wrong", role="alert"))
    if said is None:
        return
    query = {"talk": given.name, "station": "1"}
    stations = (
        tag("li", page_link("lab", each.title, {**query, "station": str(number)}))
        for number, each in enumerate(said.stations, start=1)
    )
    begin = page_link(
        "lab", words["begin"], {**query, "present": "1"}, class_="bnviz-pill bnviz-filled"
    )
    parts = (
        tag("h3", said.title), tag("p", said.about) if said.about else None, tag("ol", *stations),
        tag("p", begin), tag("p", words["kept"], class_="bnviz-quiet"),
    )  # fmt: skip
    st.html(tag("section", *parts, class_="bnviz-talk-own", aria_label=said.title))


def _take() -> None:
    given = st.session_state[KEY].given
    if not isinstance(given, dict):
        return
    text, packed = given.get("text"), given.get("packed")
    try:
        if isinstance(packed, str):
            text = unpack(packed)
        if isinstance(text, str):
            st.session_state[STATE] = Given(name=keep_talk(text))
    except TalkFileError as error:
        problems = tuple(problem.text() for problem in error.problems)
        st.session_state[STATE] = Given(problems=problems)


def _draw_kept_runs(words: Words) -> None:
    """Draw the runs that this browser stores for a day, with links and release buttons."""
    st.html(joined(tag("h2", words["runs"]), tag("p", words["runs_text"])))
    infos = current_hub().pinned(owner())
    if not infos:
        st.html(tag("p", words["no_runs"], class_="bnviz-quiet"))
    for info in infos:
        with st.container(key=f"kept_run_{info.id}", horizontal=True, vertical_alignment="center"):
            link = page_link("lab", _told(info, words), {"run": info.id})
            st.html(tag("p", link, f" {_left(info, words)}"))
            st.button(words["let_go"], key=f"let_go_{info.id}", on_click=_let_go(info.id))
    if REFUSED in st.session_state:
        st.html(answer(st.session_state.pop(REFUSED)))


def _told(info: RunInfo, words: Words) -> str:
    """Short description of a run: its changed knobs and its step."""
    knobs = list(info.config.to_query().items())
    shown = in_list(f"{KNOBS[name].label} {value}" for name, value in knobs[:MOST_KNOBS])
    key = "run" if knobs else "default_run"
    return str(words[key]).format(knobs=shown, step=f"{info.step:,}")


def _left(info: RunInfo, words: Words) -> str:
    left = timedelta(seconds=int(info.pinned_seconds or 0))
    hours, minutes = divmod(left.total_seconds() // 60, 60)
    return str(words["left"]).format(hours=int(hours), minutes=int(minutes))


def _let_go(run_id: str) -> Callable[[], None]:
    def let_go() -> None:
        try:
            current_hub().unpin(owner(), run_id)
        except LiveError as error:
            st.session_state[REFUSED] = error_text(error)

    return let_go
