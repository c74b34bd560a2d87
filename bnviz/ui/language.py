"""The language of one browser tab: chosen when its page is opened, and kept by its links."""

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

# Keys in the tab's session: the code of its language, whether an address asked for it, and the code
# that the reader wanted.
STATE, ASKED, WANTED = "language", "language_asked", "language_wanted"
# How many characters of a wrong value a sentence repeats.
LONGEST = 40


def choose_language() -> None:
    """Choose the tab's language, before any text is drawn; answer a wrong one in the address.

    A tab keeps its language until an address asks for another one.
    """
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
    """The sentence on an address that asks for a language that there is not."""
    return must_be(PARAMETER, repr(cut(asked, LONGEST)), allowed_languages())


def spoken() -> str | None:
    """The language of the tab whose script runs; None outside a script, or before it is chosen."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    code = st.session_state.get(STATE)
    return code if isinstance(code, str) else None


def carried() -> dict[str, str]:
    """The query by which links keep the language, where an address has asked for it."""
    if get_script_run_ctx(suppress_warning=True) is None or not st.session_state.get(ASKED):
        return {}
    return {PARAMETER: current_language()}


words.set_language_source(spoken)
