"""A page in somebody else's frame: its live view alone, to be watched, and a way to the whole.

Another site's frame is given no cookie of ours, and a run obeys only the browser that started it.
So a framed page starts its run for nobody: an owner that is kept in the session and sent nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from bnviz.config import KNOBS
from bnviz.live.web.owner import issuer
from bnviz.ui.about import citation
from bnviz.ui.browser_history import browser_query
from bnviz.ui.html import tag
from bnviz.ui.query_schema import HIDEABLE
from bnviz.words.texts import texts

PARAMETER = "embed"
STATE = "nobody"
# What may be looked at without acting on a run.
LOOKING = frozenset({"timeline", "edge"})
ACTING_PARTS = frozenset({"transport", "step", "pace", "game"})


def embedded() -> bool:
    """Whether the address says that the page stands in a frame. Streamlit's own word is `true`."""
    return _said() in ("1", "true")


def answer_wrong() -> None:
    """A sentence on a value that says neither yes nor no."""
    said = _said()
    if said in (None, "0", "1", "true", "false"):
        return
    words = texts("lab")["notice"]["flag"].format(field=PARAMETER, value=repr(said[:60]))
    st.html(tag("p", words, class_="bnviz-answer", role="status"))


def _said() -> str | None:
    """What the address says of frames; Streamlit keeps that from its own query parameters."""
    values = parse_qs(browser_query(), keep_blank_values=True).get(PARAMETER)
    return values[-1] if values else None


def nobody() -> str:
    """The owner of this session's runs that nobody controls; "" where its address had too many.

    It counts as one of the cookies that its address may have.
    """
    if STATE not in st.session_state:
        # Streamlit gives no address for this machine's own.
        peer = st.context.ip_address or "127.0.0.1"
        found = issuer().unsent(peer, st.context.headers.get_all("X-Forwarded-For"))
        if found is None:
            return ""
        st.session_state[STATE] = found
    return str(st.session_state[STATE])


def watching_only(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a live view is given, without what acts."""
    changed = {
        "can_control": False,
        "paused_question": False,
        "hide": [name for name in (*KNOBS, *HIDEABLE, "copy", "present") if name not in LOOKING],
        "knobs": {**data["knobs"], "shown": []},
    }
    if "block" in data:
        parts = [part for part in data["block"]["parts"] if part not in ACTING_PARTS]
        changed["block"] = {**data["block"], "parts": parts}
    return {**data, **changed}


def draw_way_out() -> None:
    """The link to the whole page, in a window of its own; its hint says how to cite it."""
    words = texts("navigation")
    link = tag(
        "a", words["open"], href="?", target="_blank", title=citation(), data_open=True
    )  # fmt: skip
    st.html(tag("p", link, class_="bnviz-open"))
