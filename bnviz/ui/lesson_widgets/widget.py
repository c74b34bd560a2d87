"""Mounts a widget of a lesson, which draws and computes in the browser, and reads its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import streamlit as st
from pydantic import BaseModel, ConfigDict, ValidationError

from bnviz.charts.theme import theme
from bnviz.registry import ImportPath, registry
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import answer
from bnviz.words.texts import ENGLISH, texts


class WidgetState(BaseModel):
    """What a widget shows when nobody moves anything in it any more."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


@dataclass(frozen=True, kw_only=True)
class WidgetEntry(ImportPath):
    """A widget: `where` leads to the class of its state, a `WidgetState`.

    Its words are a table of its name in `assets/texts/<language>/widgets.toml`.

    Attributes:
        module: the file under `assets/` that draws it.
    """

    module: str = ""


WIDGETS = registry("bnviz.ui.lesson_widgets", {
    "by_hand": WidgetEntry(where=":ByHandState"),
    "outside_gradient": WidgetEntry(where=":OutsideState"),
    "cut_network": WidgetEntry(where=":CutState"),
    "ellipse": WidgetEntry(where=":EllipseState"),
    "gamma_beta": WidgetEntry(where=":GammaBetaState"),
    "compose_batch": WidgetEntry(where=":ComposeState"),
    "averages": WidgetEntry(where=":AveragesState"),
    "shift_outside": WidgetEntry(where=":ShiftState"),
    "cloud": WidgetEntry(where=":CloudState"),
    "shared_mean": WidgetEntry(where=":SharedMeanState"),
    "steps_seconds": WidgetEntry(where=":StepsSecondsState"),
    "own_verdict": WidgetEntry(where=":OwnVerdictState"),
}, module="widgets/{}.js")  # fmt: skip


def mount_widget(
    name: str,
    key: str,
    data: Mapping[str, Any],
    on_drawing: Callable[[Any], None] | None = None,
    on_state: Callable[[WidgetState], None] | None = None,
) -> WidgetState | None:
    """Draw a widget.

    Args:
        name: of an entry of `WIDGETS`.
        key: of the component, another one for each widget of a page.
        data: the widget's, such as `by_hand_data` makes.
        on_drawing: called before the script runs again with the curve that was drawn in the widget,
            as the browser sends it.
        on_state: called before the script runs again with each new state that is not wrong.

    Returns:
        The widget's state; None as long as nobody has moved anything in it, or where the state is
        wrong, which the page then says.

    Raises:
        KeyError: there is no such widget.
    """

    def drawn() -> None:
        if on_drawing is not None:
            on_drawing(st.session_state[key].drawing)

    def told() -> None:
        with suppress(StateError):
            state = read_state(entry, st.session_state[key].state)
            if on_state is not None and state is not None:
                on_state(state)

    entry, words = WIDGETS[name], texts(name="widgets")
    found = component(name)(
        key=key,
        data={
            **data,
            **drawn_by(entry.module),
            "dark": st.context.theme.type == "dark",
            "texts": {**words[name], "common": dict(words["common"])},
        },
        on_state_change=told,
        on_drawing_change=drawn,
    )
    try:
        return read_state(entry, found.get("state"))
    except StateError as error:
        st.html(answer(error.text(), role="alert"))
        return None


def network_colours(norms: Sequence[str]) -> dict[str, dict[str, dict[str, str]]]:
    """The networks' colours in widgets, those of charts: by "light" and "dark", and by norm.

    Args:
        norms: of all networks that are shown together, in order.

    Returns:
        "line" and "text": the colours of a network's lines and of its texts.
    """
    return {
        name: {
            norm: {"line": style.line, "text": style.text}
            for norm, style in theme(name == "dark").networks(norms).items()
        }
        for name in ("light", "dark")
    }


def read_state(entry: WidgetEntry, given: object) -> WidgetState | None:
    """The state that a browser has sent, or None where it has sent none.

    Raises:
        StateError: no widget of ours would send that; names the first wrong field.
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
    """A JSON value with tuples in place of lists, of at most 100 items, as states have them."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_plain(part) for part in value[:100])
    return value


class StateError(ValueError):
    """A browser has sent a state that no widget of ours would send; its text is English.

    Attributes:
        field: the field that is wrong.
        value: its value, shortened.
    """

    def __init__(
        self, field: str, value: object, rule: str, limits: Mapping[str, Any] | None = None
    ) -> None:
        """Say what is wrong.

        Args:
            field: the field.
            value: its value.
            rule: what is allowed, a key of `common.allowed` in `widgets.toml`.
            limits: values that fill those words.
        """
        text = repr(value)
        self.field, self.value = field, text if len(text) <= 60 else f"{text[:57]}..."
        self._rule, self._limits = rule, dict(limits or {})
        super().__init__(self.text(ENGLISH))

    def text(self, language: str | None = None) -> str:
        """The sentence in a language; None: in the tab's."""
        words = texts("widgets", language)["common"]
        rules = words["allowed"]
        allowed = rules.get(self._rule, rules["other"]).format(**self._limits)
        wrong = words["state_error"]
        return str(wrong.format(field=self.field, value=self.value, allowed=allowed))
