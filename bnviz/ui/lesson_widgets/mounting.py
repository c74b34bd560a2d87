"""Mounts a widget: a component whose module draws and reckons in the browser."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from bnviz.live.web.assets_route import VERSION
from bnviz.texts import texts
from bnviz.ui.lesson_widgets.widget import StateError, WidgetEntry, WidgetState, read_state
from bnviz.ui.places import base_path

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

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version, module } = component.data;
  const address = new URL(`${base}/assets/${version}/${module}`, location.origin).href;
  const mounted = import(address).then((loaded) => loaded.default(component));
  return () => { mounted.then((cleanup) => cleanup && cleanup()); };
}
"""


def mount_widget(
    name: str,
    key: str,
    data: Mapping[str, Any],
    on_state: Callable[[], None] | None = None,
) -> WidgetState | None:
    """Draw a widget.

    Args:
        name: of an entry of `WIDGETS`.
        key: of the component, another one for each widget of a page.
        data: what `by_hand_data` and its like make.
        on_state: called before the rerun that a new state brings.

    Returns:
        What it shows since it came to rest; None as long as nobody has moved anything in it, or
        where the browser's state is none, which the page then says.

    Raises:
        KeyError: there is no such widget.
    """
    entry, words = WIDGETS[name], texts(name="widgets")
    found = _component(name)(
        key=key,
        data={
            **data,
            "base": base_path(),
            "version": VERSION,
            "module": entry.module,
            "dark": st.context.theme.type == "dark",
            "texts": {**words[name], "common": dict(words["common"])},
        },
        on_state_change=on_state or _nothing,
    )
    try:
        return read_state(entry, found.get("state"))
    except StateError as error:
        st.error(error.said())
        return None


@functools.cache
def _component(name: str) -> Any:
    return st.components.v2.component(f"bnviz.{name}", js=LOADER, isolate_styles=False)


def _nothing() -> None:
    """A state is there in the next rerun."""
