"""The language of one browser tab: chosen when its page is opened, and kept by its links."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bnviz.knobs import must_be
from bnviz.ui.html import tag
from bnviz.words import texts as words
from bnviz.words.language_choice import COOKIE, PARAMETER, allowed_languages, visitor_language
from bnviz.words.phrase import Phrase
from bnviz.words.texts import current_language, languages

# Keys in the tab's session: the code of its language, and whether an address asked for it.
STATE, ASKED = "language", "language_asked"
# How many characters of a wrong value a sentence repeats.
LONGEST = 40


def choose_language() -> None:
    """Choose the tab's language, before any text is drawn; answer a wrong one in the address.

    A tab keeps its language until an address asks for another one.
    """
    asked = st.query_params.get(PARAMETER)
    if asked in languages():
        st.session_state[STATE], st.session_state[ASKED] = asked, True
    elif STATE not in st.session_state:
        remembered = st.context.cookies.get(COOKIE)
        accepted = st.context.headers.get("Accept-Language")
        st.session_state[STATE] = visitor_language(None, remembered, accepted)
    if asked is not None and asked not in languages():
        st.html(tag("p", wrong(asked).text(), class_="bnviz-answer", role="alert"))


def wrong(asked: str) -> Phrase:
    """The sentence on an address that asks for a language that there is not."""
    shown = asked if len(asked) <= LONGEST else asked[: LONGEST - 3] + "..."
    return must_be(PARAMETER, repr(shown), allowed_languages())


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
