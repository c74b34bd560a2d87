"""Widgets that show the value of a knob, whatever moved it, and say what they were moved to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Literal, Protocol

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import KNOBS, RunConfig
from bnviz.ui.knobs import ladder, number
from bnviz.ui.lab_query import LabQuery
from bnviz.words.texts import texts


class KnobHolder(Protocol):
    """What the widgets of a sidebar show and move: a lab, or a map.

    Attributes:
        apart: what sets its widgets apart from those of another page: a browser that comes from
            there would go on showing theirs.
        again: moves whenever they are all to be drawn anew.
    """

    apart: str
    again: int

    @property
    def config(self) -> RunConfig:
        """Its knobs."""

    @property
    def page(self) -> LabQuery:
        """What its address takes away."""

    @property
    def can_control(self) -> bool:
        """Whether this browser may move anything."""

    def set_knobs(self, **values: Any) -> None:
        """Move knobs."""


class KnobWidgets:
    """The widgets of one sidebar.

    Attributes:
        lab: what they show and move.
        words: `assets/texts/<language>/lab.toml`.
        hidden: knobs and controls that the address takes away.
    """

    def __init__(self, lab: KnobHolder) -> None:
        self.lab = lab
        self.words = texts(name="lab")
        self.hidden = set(lab.page.hide)

    def shown(self, *names: str) -> bool:
        """Whether the address leaves any of these."""
        return not self.hidden.issuperset(names)

    def heading(self, group: str) -> None:
        """The name of a group of knobs, and whether it acts at once."""
        words = self.words["group"]
        note = words.get(f"{group}_note", "")
        st.html(
            f'<h6 class="bnviz-group">{escape(words[group])} <small>{escape(note)}</small></h6>'
        )

    def label_row(self, label: str, note: str) -> None:
        """The name of a knob over its control, and what there is of it."""
        st.html(f'<p class="bnviz-label">{escape(label)} <small>{escape(note)}</small></p>')

    def fold(self, group: str, title: str) -> Any:
        """A container that is folded until it is opened, and says so in its `open`.

        What it holds need not be made before: it would cost every visitor what few look at.
        """
        return st.expander(title, key=f"fold_{group}{self.lab.apart}", on_change="rerun")

    def key(self, name: str) -> str:
        """The present key of the widget of this name."""
        turns, name = st.session_state.setdefault("turns", {}), f"{name}{self.lab.apart}"
        turn = f"{name}-{turns[name]}" if name in turns else name
        return f"{turn}-again{self.lab.again}" if self.lab.again else turn

    def keep(self, name: str, value: Any, same: Callable[[Any, Any], bool] = operator.eq) -> str:
        """The key of a widget that shows `value`, whatever moved it: itself, a preset, the view.

        A value set from elsewhere makes it another widget. A browser that has not heard of that
        yet still sends the old value with whatever it asks for next, and for the same widget that
        would be a knob moved back.

        The widget is to be drawn with the value as its default. Were the value put into the state
        of the session instead, Streamlit would send it once; where that script is cut short by the
        next, a browser would see the widget without it and answer with its least value, or none.
        """
        key, turns = self.key(name), st.session_state["turns"]
        if key in st.session_state and not same(st.session_state[key], value):
            own = f"{name}{self.lab.apart}"
            turns[own] = turns.get(own, 0) + 1
            key = self.key(name)
        return key

    def moved(self, name: str, key: str, act: Callable[[Any], None]) -> Callable[[], None]:
        """What a widget calls when it moved; one that has been replaced is not heard any more."""

        def moved() -> None:
            if key == self.key(name):
                act(st.session_state[key])

        return moved

    def setting(
        self, knob: str, means: Callable[[Any], Any] = lambda value: value
    ) -> Callable[[Any], None]:
        """What sets a knob to what its widget says; a browser that says nothing sets nothing."""

        def set_knob(value: Any) -> None:
            if value is not None:
                self.lab.set_knobs(**{knob: means(value)})

        return set_knob

    def label(self, name: str) -> str:
        """What a knob is called, in the terms of the network."""
        own = self.words["label"].get(self.lab.config.network, {})
        return str(own.get(name, KNOBS[name].label))

    def ladder(self, name: str, *, default: float | None = None) -> None:
        """A slider over the rungs of a knob.

        Args:
            name: of the knob.
            default: what a knob that may be left out stands at then.
        """
        if name in self.hidden:
            return
        value = getattr(self.lab.config, name)
        self.slider(
            f"knob_{name}", self.label(name), KNOBS[name].help, ladder(name, self.lab.config),
            default if value is None else value, self.setting(name),
        )  # fmt: skip

    def slider(
        self, name: str, label: str, help_text: str, rungs: Sequence[float], value: Any,
        on_move: Callable[[Any], None],
    ) -> None:  # fmt: skip
        """A slider over some rungs; a value that is none of them is shown as one of its own."""
        options = sorted({*rungs, value})
        key = self.keep(name, value)
        st.select_slider(
            label, options, value, key=key, format_func=number, help=help_text,
            disabled=not self.lab.can_control,
            on_change=self.moved(name, key, on_move),
        )  # fmt: skip

    def choice(self, name: str, *, label: Literal["visible", "collapsed"] = "visible") -> None:
        """One of a knob's choices, side by side."""
        if name in self.hidden:
            return
        knob, words = KNOBS[name], self.words["choice"]
        value = getattr(self.lab.config, name)
        key = self.keep(f"knob_{name}", value)
        st.segmented_control(
            self.label(name), knob.choices, default=value, key=key, required=True, help=knob.help,
            width="stretch", format_func=lambda choice: words[choice],
            disabled=not self.lab.can_control,
            label_visibility=label,
            on_change=self.moved(f"knob_{name}", key, self.setting(name)),
        )  # fmt: skip

    def toggle(self, name: str) -> None:
        """A knob that is on or off."""
        if name in self.hidden:
            return
        value = getattr(self.lab.config, name)
        key = self.keep(f"knob_{name}", value)
        st.toggle(
            KNOBS[name].label, value, key=key, help=KNOBS[name].help,
            disabled=not self.lab.can_control,
            on_change=self.moved(f"knob_{name}", key, self.setting(name)),
        )  # fmt: skip

    def layers(self, name: str) -> None:
        """Some of the layers; none chosen: all."""
        if name in self.hidden:
            return
        config, words = self.lab.config, self.words["label"]
        word = words.get(config.network, {}).get("layer", words["layer"])
        layers = list(getattr(config, name) or ())
        key = self.keep(f"knob_{name}", layers, _same)
        set_layers = self.setting(name, lambda chosen: tuple(sorted(chosen)) or None)
        st.multiselect(
            self.label(name), range(1, config.layer_count + 1), layers, key=key,
            select_all=False, help=KNOBS[name].help,
            format_func=lambda layer: word.format(number=layer),
            placeholder=self.words["control"]["all_layers"], disabled=not self.lab.can_control,
            on_change=self.moved(f"knob_{name}", key, set_layers),
        )  # fmt: skip

    def seed(self) -> None:
        """The seed, as a number."""
        if "seed" in self.hidden:
            return
        value = self.lab.config.seed
        key = self.keep("knob_seed", value)
        st.number_input(
            KNOBS["seed"].label, 0, int(KNOBS["seed"].maximum or 0), value, step=1, key=key,
            help=self.words["control"]["seed_help"], disabled=not self.lab.can_control,
            on_change=self.moved("knob_seed", key, self.setting("seed")),
        )  # fmt: skip

    def network_colours(self, control: str, options: Sequence[str]) -> None:
        """Give each chosen network's button the colour that the network has everywhere else.

        Args:
            control: how the key of the control with the buttons begins.
            options: its networks, in order.
        """
        styles = theme(st.context.theme.type == "dark").networks(self.lab.config.norms)
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
