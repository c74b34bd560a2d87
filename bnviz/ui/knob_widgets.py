"""Streamlit widgets that show the values of knobs and set them, for the sidebars of lab and map."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Literal, Protocol

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import KNOBS, RunConfig
from bnviz.ui.knobs import choice_words, ladder, number
from bnviz.words.texts import texts


class KnobHolder(Protocol):
    """Whoever has the knobs that a sidebar shows and sets: a run of the lab, or a map.

    Attributes:
        widget_suffix: ends the keys of its widgets. Two pages have different ones: a browser that
            comes from one page would show the values of its widgets on the other.
        widget_version: counts how often all widgets were replaced by new ones.
    """

    widget_suffix: str
    widget_version: int

    @property
    def config(self) -> RunConfig:
        """The present values of the knobs."""

    @property
    def hidden(self) -> Sequence[str]:
        """Knobs and controls that the address takes away."""

    @property
    def can_control(self) -> bool:
        """Whether this browser may set any knob."""

    def set_knobs(self, **values: Any) -> None:
        """Set knobs."""


class KnobWidgets:
    """The widgets of one sidebar.

    Attributes:
        holder: who has the knobs.
        words: `assets/texts/<language>/lab.toml`.
    """

    def __init__(self, holder: KnobHolder) -> None:
        self.holder = holder
        self.words = texts(name="lab")

    def shown(self, *names: str) -> bool:
        """Whether the address leaves at least one of these knobs and controls."""
        return not set(names).issubset(self.holder.hidden)

    def heading(self, group: str) -> None:
        """Draw the name of a group of knobs, and whether it acts at once."""
        words = self.words["group"]
        note = words.get(f"{group}_note", "")
        st.html(
            f'<h6 class="bnviz-group">{escape(words[group])} <small>{escape(note)}</small></h6>'
        )

    def label_row(self, label: str, note: str) -> None:
        """Draw the name of a knob over its control, with a note beside it."""
        st.html(f'<p class="bnviz-label">{escape(label)} <small>{escape(note)}</small></p>')

    def fold(self, group: str, title: str) -> Any:
        """A container that is folded at first, with its state in `open`.

        A caller draws its contents only where it is open: few visitors look at them.
        """
        key = f"fold_{group}{self.holder.widget_suffix}"
        return st.expander(title, key=key, on_change="rerun")

    def _key(self, name: str) -> str:
        """The present key of the widget of this name."""
        versions = st.session_state.setdefault("widget_versions", {})
        key = f"{name}{self.holder.widget_suffix}"
        key = f"{key}-{versions[key]}" if key in versions else key
        version = self.holder.widget_version
        return f"{key}-again{version}" if version else key

    def key_for(self, name: str, value: Any, same: Callable[[Any, Any], bool] = operator.eq) -> str:
        """The key of a widget that shows `value`, whoever set it: the widget, a preset, the view.

        A value that was set elsewhere makes a new widget. A browser that has not heard of it yet
        still sends the old value with its next request, and for the same widget that would set the
        knob back.

        The widget has to be drawn with the value as its default. Were the value put into the
        session's state instead, Streamlit would send it once; where that script is cut short by the
        next, a browser would see the widget without it and answer with its least value, or none.

        Args:
            name: of the widget.
            value: what it is to show.
            same: whether two values of it are the same.
        """
        key = self._key(name)
        if key in st.session_state and not same(st.session_state[key], value):
            versions = st.session_state["widget_versions"]
            own = f"{name}{self.holder.widget_suffix}"
            versions[own] = versions.get(own, 0) + 1
            key = self._key(name)
        return key

    def on_change(self, name: str, key: str, act: Callable[[Any], None]) -> Callable[[], None]:
        """The callback of a widget: calls `act` with its value, unless it has been replaced."""

        def changed() -> None:
            if key == self._key(name):
                act(st.session_state[key])

        return changed

    def setter(
        self, knob: str, value_of: Callable[[Any], Any] = lambda chosen: chosen
    ) -> Callable[[Any], None]:
        """A function that sets a knob to what its widget has; None, as browsers may send, sets
        nothing.

        Args:
            knob: its name.
            value_of: the knob's value for what the widget has.
        """

        def set_knob(chosen: Any) -> None:
            if chosen is not None:
                self.holder.set_knobs(**{knob: value_of(chosen)})

        return set_knob

    def label(self, name: str) -> str:
        """The name of a knob; some have another one for another kind of network."""
        words = texts("knobs")[name]
        return str(words.get(f"label_{self.holder.config.network}", words["label"]))

    def ladder(self, name: str, *, default: float | None = None) -> None:
        """Draw a slider over the rungs of a knob.

        Args:
            name: of the knob.
            default: where the slider stands while the knob has no value.
        """
        if not self.shown(name):
            return
        value = getattr(self.holder.config, name)
        self.slider(
            f"knob_{name}", self.label(name), KNOBS[name].help, ladder(name, self.holder.config),
            default if value is None else value, self.setter(name),
        )  # fmt: skip

    def slider(
        self, name: str, label: str, help_text: str, rungs: Sequence[float], value: Any,
        on_move: Callable[[Any], None],
    ) -> None:  # fmt: skip
        """Draw a slider over some rungs; a value between them gets a rung of its own."""
        options = sorted({*rungs, value})
        key = self.key_for(name, value)
        st.select_slider(
            label, options, value, key=key, format_func=number, help=help_text,
            disabled=not self.holder.can_control,
            on_change=self.on_change(name, key, on_move),
        )  # fmt: skip

    def choice(self, name: str, *, label: Literal["visible", "collapsed"] = "visible") -> None:
        """Draw the choices of a knob side by side."""
        if not self.shown(name):
            return
        knob, words = KNOBS[name], choice_words()
        value = getattr(self.holder.config, name)
        key = self.key_for(f"knob_{name}", value)
        st.segmented_control(
            self.label(name), knob.choices, default=value, key=key, required=True, help=knob.help,
            width="stretch", format_func=lambda choice: words[choice],
            disabled=not self.holder.can_control,
            label_visibility=label,
            on_change=self.on_change(f"knob_{name}", key, self.setter(name)),
        )  # fmt: skip

    def toggle(self, name: str) -> None:
        """Draw the switch of a knob that is on or off."""
        if not self.shown(name):
            return
        value = getattr(self.holder.config, name)
        key = self.key_for(f"knob_{name}", value)
        st.toggle(
            KNOBS[name].label, value, key=key, help=KNOBS[name].help,
            disabled=not self.holder.can_control,
            on_change=self.on_change(f"knob_{name}", key, self.setter(name)),
        )  # fmt: skip

    def layers(self, name: str) -> None:
        """Draw the choice of a knob's layers; none chosen means all."""
        if not self.shown(name):
            return
        config, words = self.holder.config, self.words["control"]
        word = words.get(f"layer_{config.network}", words["layer"])
        layers = list(getattr(config, name) or ())
        key = self.key_for(f"knob_{name}", layers, _same)
        set_layers = self.setter(name, lambda chosen: tuple(sorted(chosen)) or None)
        st.multiselect(
            self.label(name), range(1, config.layer_count + 1), layers, key=key,
            select_all=False, help=KNOBS[name].help,
            format_func=lambda layer: word.format(number=layer),
            placeholder=words["all_layers"], disabled=not self.holder.can_control,
            on_change=self.on_change(f"knob_{name}", key, set_layers),
        )  # fmt: skip

    def seed(self) -> None:
        """Draw the field of the seed."""
        if not self.shown("seed"):
            return
        value = self.holder.config.seed
        key = self.key_for("knob_seed", value)
        st.number_input(
            KNOBS["seed"].label, 0, int(KNOBS["seed"].maximum or 0), value, step=1, key=key,
            help=self.words["control"]["seed_help"], disabled=not self.holder.can_control,
            on_change=self.on_change("knob_seed", key, self.setter("seed")),
        )  # fmt: skip

    def network_colours(self, control: str, options: Sequence[str]) -> None:
        """Give the button of each compared network that network's colour.

        Args:
            control: how the key of the control with the buttons begins.
            options: its networks, in order.
        """
        styles = theme(st.context.theme.type == "dark").networks(self.holder.config.norms)
        rules = "".join(
            f"[class*=st-key-{control}] button:nth-of-type({place}) "
            f"{{ --chosen: {styles[norm].text}; }}"
            for place, norm in enumerate(options, start=1)
            if norm in styles
        )
        st.html(f"<style>{rules}</style>")


def _same(chosen: Sequence[int], layers: Sequence[int]) -> bool:
    """Whether these are the same layers, in whatever order they were chosen."""
    return set(chosen) == set(layers)
