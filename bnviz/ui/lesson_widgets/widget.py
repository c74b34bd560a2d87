"""What a widget of a lesson is, and how what a browser says of its state is read.

Mounts a widget: a component whose module draws and reckons in the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from pydantic import BaseModel, ConfigDict, ValidationError

from bnviz.registry import ImportPath
from bnviz.ui.component import component, drawn_by
from bnviz.words.texts import ENGLISH, texts


class StateError(ValueError):
    """A browser's state that no widget of ours would send. Its text is English, for the log.

    Attributes:
        field: what is wrong.
        value: what it was, shortened.
    """

    def __init__(
        self, field: str, value: object, rule: str, limits: Mapping[str, Any] | None = None
    ) -> None:
        """Say what is wrong.

        Args:
            field: the field.
            value: what it was.
            rule: what is allowed, as a key of `common.allowed` in `widgets.toml`.
            limits: values in those words.
        """
        text = repr(value)
        self.field, self.value = field, text if len(text) <= 60 else f"{text[:57]}..."
        self._rule, self._limits = rule, dict(limits or {})
        super().__init__(self.said(ENGLISH))

    def said(self, language: str | None = None) -> str:
        """The same in a language; None: the one that is spoken."""
        words = texts("widgets", language)["common"]
        rules = words["allowed"]
        allowed = rules.get(self._rule, rules["other"]).format(**self._limits)
        wrong = words["state_error"]
        return str(wrong.format(field=self.field, value=self.value, allowed=allowed))


class WidgetState(BaseModel):
    """What a widget shows when it has come to rest."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


@dataclass(frozen=True, kw_only=True)
class WidgetEntry(ImportPath):
    """One line of the registry: `where` names the widget's state, a `WidgetState`.

    Its words are the table of its name in `assets/texts/<language>/widgets.toml`.

    Attributes:
        module: the file under `assets/` that draws it.
    """

    module: str


def read_state(entry: WidgetEntry, given: object) -> WidgetState | None:
    """A browser's state, or None where it has sent none.

    Raises:
        StateError: the widget would not have sent that; names the first field that is wrong.
    """
    if given is None:
        return None
    kind: type[WidgetState] = entry.resolve()
    if not isinstance(given, Mapping):
        raise StateError("state", given, "model_type")
    try:
        return kind.model_validate(_plain(given))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "state"
        raise StateError(field, first["input"], first["type"], first.get("ctx")) from None


def _plain(value: Any) -> Any:
    """Numbers as fractions and lists as tuples, as the state's fields have them.

    JSON has no other numbers than whole ones for 2.0.
    """
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_plain(part) for part in value[:100])
    return value


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
