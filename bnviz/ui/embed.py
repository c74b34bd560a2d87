"""Page in another site's frame: a live view without controls, and a link to the full page.

A browser sends none of our cookies from such a frame, and a run accepts commands only with its
owner's cookie. So an embedded page starts runs for an owner that is kept in the session and never
sent to a browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

import streamlit as st

from bnviz.config import KNOBS
from bnviz.live.web.security import EMBED, is_embedded
from bnviz.ui.about import citation
from bnviz.ui.browser_history import browser_query
from bnviz.ui.html import answer, tag
from bnviz.ui.query_schema import HIDEABLE
from bnviz.words.texts import texts

# Controls that do not act on a run, and parts of a live view that do act on a run.
LOOKING = frozenset({"timeline", "edge"})
ACTING_PARTS = frozenset({"transport", "step", "pace", "prompt"})


def embedded() -> bool:
    """Return whether the address marks the page as embedded, by our parameter or Streamlit's."""
    return is_embedded(browser_query())


def answer_wrong() -> None:
    """Draw a message about an invalid value of `embed`."""
    value = _value()
    if value in (None, "0", "1", "true", "false"):
        return
    words = texts("lab")["notice"]["flag"].format(field=EMBED, value=repr(value[:60]))
    st.html(answer(words))


def _value() -> str | None:
    """Value of `embed` in the address, which Streamlit omits from its query parameters."""
    values = parse_qs(browser_query(), keep_blank_values=True).get(EMBED)
    return values[-1] if values else None


def watching_only(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a live view without the controls that act on its run."""
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


def draw_link_out() -> None:
    """Draw a link that opens the full page in a new window; its tooltip is the citation."""
    words = texts("navigation")
    link = tag(
        "a", words["open"], href="?", target="_blank", title=citation(), data_open=True
    )  # fmt: skip
    st.html(tag("p", link, class_="bnviz-open"))
