"""Streamlit widgets that show and set knobs, for the sidebars of the lab and the map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, TypeVar

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import KNOBS
from bnviz.ui.html import tag
from bnviz.ui.knobs import choice_words, format_number, ladder
from bnviz.ui.map.tab_map import TabMap
from bnviz.ui.tab_run import TabRun
from bnviz.words.texts import texts

# Type of the object whose knobs a sidebar shows and sets.
Holder = TypeVar("Holder", bound=TabRun | TabMap)


class KnobWidgets(Generic[Holder]):
    """Base class of a sidebar with knob widgets."""

    def __init__(self, holder: Holder) -> None:
        self.holder = holder
        self.words = texts("lab")

    def shown(self, *names: str) -> bool:
        """Return whether the address leaves at least one of these controls visible."""
        return not set(names).issubset(self.holder.hidden)

    def heading(self, group: str) -> None:
        """Draw the name of a group of knobs, and a note on when changes take effect."""
        words = self.words["group"]
        note = tag("small", words.get(f"{group}_note", ""))
        st.html(tag("h6", words[group], " ", note, class_="bnviz-group"))

    def fold(self, group: str, title: str) -> Any:
        """Container that is collapsed at first; draw its contents only if `open` is true."""
        key = f"fold_{group}{self.holder.widget_suffix}"
        return st.expander(title, key=key, on_change="rerun")

    def _key(self, name: str) -> str:
        versions = st.session_state.setdefault("widget_versions", {})
        key = f"{name}{self.holder.widget_suffix}"
        key = f"{key}-{versions[key]}" if key in versions else key
        version = self.holder.widget_version
        return f"{key}-again{version}" if version else key

    def _key_for(self, name: str, value: Any) -> str:
        """Key of a widget that shows `value`.

        A value that was set elsewhere needs a new widget. Otherwise the browser's next request,
        which may still contain the old value, would set the knob back.
        """
        key = self._key(name)
        if key in st.session_state and not _same(st.session_state[key], value):
            versions = st.session_state["widget_versions"]
            own = f"{name}{self.holder.widget_suffix}"
            versions[own] = versions.get(own, 0) + 1
            key = self._key(name)
        return key

    def widget(
        self, widget: Callable[..., Any], name: str, value: Any, act: Callable[[Any], None],
        *args: Any, disabled: bool = False, **look: Any,
    ) -> None:  # fmt: skip
        """Draw a Streamlit widget that shows a value and calls `act` with each new value.

        `args` also contain the value as the widget's default, because the session state is not
        enough: Streamlit sends its value only once. If another script run interrupts this one, the
        browser would show the widget without the value, and might send back the widget's lowest
        value or None. `act` is not called for a replaced widget, nor for None.
        """
        key = self._key_for(name, value)

        def changed() -> None:
            if key == self._key(name) and st.session_state[key] is not None:
                act(st.session_state[key])

        disabled = disabled or not self.holder.can_control
        widget(*args, key=key, disabled=disabled, on_change=changed, **look)

    def _knob(self, widget: Callable[..., Any], name: str, *args: Any, **look: Any) -> None:
        look.setdefault("help", KNOBS[name].help)
        self.widget(
            widget, f"knob_{name}", getattr(self.holder.config, name),
            lambda chosen: self.holder.set_knobs(**{name: chosen}),
            self.label(name), *args, **look,
        )  # fmt: skip

    def label(self, name: str) -> str:
        words = texts("knobs")[name]
        return str(words.get(f"label_{self.holder.config.network}", words["label"]))

    def ladder(self, name: str, *, default: float | None = None) -> None:
        """Draw a slider over a knob's allowed values; it shows `default` if the knob is None."""
        value = getattr(self.holder.config, name)
        self.slider(
            f"knob_{name}", self.label(name), KNOBS[name].help, ladder(name, self.holder.config),
            default if value is None else value,
            lambda chosen: self.holder.set_knobs(**{name: chosen}),
        )  # fmt: skip

    def optional_ladder(self, name: str, unset: float) -> None:
        """Draw a slider over the values of a knob; its lowest position `unset` means None."""
        value, words = getattr(self.holder.config, name), texts("knobs")[name]["unset_rung"]
        shown = unset if value is None else value
        self.widget(
            st.select_slider, f"knob_{name}", shown,
            lambda chosen: self.holder.set_knobs(**{name: None if chosen == unset else chosen}),
            self.label(name), sorted({unset, *ladder(name, self.holder.config), shown}), shown,
            format_func=lambda rung: words if rung == unset else format_number(rung),
            help=KNOBS[name].help,
        )  # fmt: skip

    def slider(
        self, name: str, label: str, help_text: str, rungs: Sequence[float], value: Any,
        act: Callable[[Any], None],
    ) -> None:  # fmt: skip
        """Draw a slider over `rungs`; a value between two rungs is added to them."""
        options = sorted({*rungs, value})
        self.widget(
            st.select_slider, name, value, act, label, options, value, format_func=format_number,
            help=help_text,
        )  # fmt: skip

    def choice(self, name: str, *, label: Literal["visible", "collapsed"] = "visible") -> None:
        self._knob(
            st.segmented_control, name, KNOBS[name].choices, required=True, width="stretch",
            default=getattr(self.holder.config, name), format_func=choice_words().__getitem__,
            label_visibility=label,
        )  # fmt: skip

    def toggle(self, name: str) -> None:
        self._knob(st.toggle, name, getattr(self.holder.config, name))

    def seed(self) -> None:
        self._knob(
            st.number_input, "seed", 0, int(KNOBS["seed"].maximum or 0), self.holder.config.seed,
            step=1, help=self.words["control"]["seed_help"],
        )  # fmt: skip

    def layers(self, name: str) -> None:
        """Draw a selection of layers; an empty selection means all layers."""
        config, words = self.holder.config, self.words["control"]
        word = words.get(f"layer_{config.network}", words["layer"])
        layers = list(getattr(config, name) or ())
        self.widget(
            st.multiselect, f"knob_{name}", layers,
            lambda chosen: self.holder.set_knobs(**{name: tuple(sorted(chosen)) or None}),
            self.label(name), range(1, config.layer_count + 1), layers, select_all=False,
            help=KNOBS[name].help, format_func=lambda layer: word.format(number=layer),
            placeholder=words["all_layers"],
        )  # fmt: skip

    def network_colours(self, control: str, options: Sequence[str]) -> None:
        """Colour the buttons of the compared networks; `control` is the prefix of the key of their
        widget.
        """
        styles = theme(st.context.theme.type == "dark").networks(self.holder.config.norms)
        rules = "".join(
            f"[class*=st-key-{control}] button:nth-of-type({place}) "
            f"{{ --chosen: {styles[norm].text}; }}"
            for place, norm in enumerate(options, start=1)
            if norm in styles
        )
        st.html(f"<style>{rules}</style>")


def _same(chosen: Any, value: Any) -> bool:
    """Compare a widget's value with a knob's value; the order of a list does not matter."""
    return set(chosen) == set(value) if isinstance(value, list) else bool(chosen == value)
