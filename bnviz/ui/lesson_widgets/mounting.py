"""Mounts a widget: a component whose module draws and reckons in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from bnviz.texts import texts
from bnviz.ui.component import component, drawn_by
from bnviz.ui.lesson_widgets.widget import StateError, WidgetEntry, WidgetState, read_state

WIDGETS: dict[str, WidgetEntry] = {
    "by_hand": WidgetEntry(
        where="bnviz.ui.lesson_widgets.by_hand:ByHandState",
        module="widgets/by_hand.js",
    ),
    "outside_gradient": WidgetEntry(
        where="bnviz.ui.lesson_widgets.outside_gradient:OutsideState",
        module="widgets/outside_gradient.js",
    ),
    "cut_network": WidgetEntry(
        where="bnviz.ui.lesson_widgets.cut_network:CutState",
        module="widgets/cut_network.js",
    ),
}


def mount_widget(
    name: str,
    key: str,
    data: Mapping[str, Any],
    on_state: Callable[[], None] | None = None,
    on_drawing: Callable[[Any], None] | None = None,
) -> WidgetState | None:
    """Draw a widget.

    Args:
        name: of an entry of `WIDGETS`.
        key: of the component, another one for each widget of a page.
        data: what `by_hand_data` and its like make.
        on_state: called before the rerun that a new state brings.
        on_drawing: called before it with what was drawn in the widget, as the browser sends it.

    Returns:
        What it shows since it came to rest; None as long as nobody has moved anything in it, or
        where the browser's state is none, which the page then says.

    Raises:
        KeyError: there is no such widget.
    """

    def drawn() -> None:
        if on_drawing is not None:
            on_drawing(st.session_state[key].drawing)

    entry, words = WIDGETS[name], texts(name="widgets")
    found = component(name)(
        key=key,
        data={
            **data,
            **drawn_by(entry.module),
            "dark": st.context.theme.type == "dark",
            "texts": {**words[name], "common": dict(words["common"])},
        },
        on_state_change=on_state or _nothing,
        on_drawing_change=drawn,
    )
    try:
        return read_state(entry, found.get("state"))
    except StateError as error:
        st.error(error.said())
        return None


def _nothing() -> None:
    """A state is there in the next rerun."""
