"""Language of a browser tab, chosen when the page opens and kept by its links."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bnviz.knobs import cut, must_be
from bnviz.live.web.cookies import names_of
from bnviz.ui.html import answer
from bnviz.words import texts as words
from bnviz.words.joining import plural
from bnviz.words.language_choice import (
    COOKIE,
    PARAMETER,
    allowed_languages,
    language_for,
    most_wanted,
    stands_in,
    visitor_language,
)
from bnviz.words.phrase import Phrase
from bnviz.words.texts import current_language, texts
from bnviz.words.translations import older

# Session-state keys: the language in use, whether an address requested it, and the language that
# the visitor prefers.
STATE, ASKED, WANTED = "language", "language_asked", "language_wanted"
# Maximum number of characters of an invalid value that an error message quotes.
LONGEST = 40


def choose_language() -> None:
    """Choose the tab's language, which remains until an address requests another one."""
    asked = st.query_params.get(PARAMETER)
    found = language_for(asked)
    if found:
        st.session_state[STATE], st.session_state[ASKED] = found, True
        st.session_state[WANTED] = asked
    elif STATE not in st.session_state:
        remembered = next(filter(None, map(st.context.cookies.get, names_of(COOKIE))), None)
        accepted = st.context.headers.get("Accept-Language")
        st.session_state[STATE] = visitor_language(None, remembered, accepted)
        st.session_state[WANTED] = remembered or most_wanted(accepted)
    missing = stands_in(st.session_state.get(WANTED))
    if missing:
        sentence = texts("navigation")["stands_in"].format(wanted=missing)
        st.html(answer(sentence))
    count = older(words.FOLDER, st.session_state[STATE])
    if count:
        sentence = plural(texts("navigation"), "older", count).format(count=count)
        st.html(answer(sentence, role="note"))
    if asked is not None and not found:
        st.html(answer(wrong(asked).text(), role="alert"))


def wrong(asked: str) -> Phrase:
    """Error message for an address with an unknown language."""
    return must_be(PARAMETER, repr(cut(asked, LONGEST)), allowed_languages())


def spoken() -> str | None:
    """Language of the current tab, or None outside a script or before the choice."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    code = st.session_state.get(STATE)
    return code if isinstance(code, str) else None


def carried() -> dict[str, str]:
    """Query parameters that keep the language in links, if an address requested it."""
    if get_script_run_ctx(suppress_warning=True) is None or not st.session_state.get(ASKED):
        return {}
    return {PARAMETER: current_language()}


words.set_language_source(spoken)
