"""The knobs in the sidebar. Their names, ranges and help come from `RunConfig`."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, Literal

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import KNOBS
from bnviz.data import DATASETS
from bnviz.presets import PRESETS
from bnviz.texts import texts
from bnviz.ui.lab import Lab

# The 1-3-10 ladder, failing region included.
RATES = tuple(float(f"{digit}e{power}") for power in range(-5, 3) for digit in (1, 3))[:-1]
LADDERS: dict[str, tuple[float, ...]] = {
    "learning_rate": RATES,
    "batch_size": (1, 2, 4, 8, 16, 32, 60, 128, 256, 512, 1024),
    "momentum": (0.0, 0.5, 0.8, 0.9, 0.95, 0.99),
    "weight_decay": (0.0, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0),
    "width": (2, 4, 8, 16, 32, 64, 100, 128, 256, 512),
    "depth": tuple(range(1, 51)),
    "noise": (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0),
    "init_std": (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    "norm_eps": (0.0, 1e-8, 1e-5, 1e-3, 0.1, 1.0),
    "norm_momentum": (0.01, 0.03, 0.1, 0.3, 1.0),
}


def number(value: float) -> str:
    """A number as a person writes it: 0.1, 60, 3e-5."""
    if value and abs(value) < 1e-3:
        digits, _, power = f"{value:.6e}".partition("e")
        return f"{float(digits):g}e{int(power)}"
    return f"{value:g}"


class Controls:
    """Draws the sidebar of one lab and sends what moved to it."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.words = texts(name="lab")
        self.hidden = set(lab.page.hide)

    def draw(self) -> None:
        """Draw every group that the address does not hide."""
        config = self.lab.config
        self._preset()
        if self._shown("learning_rate", "batch_size", "momentum"):
            self._heading("live")
            self._rates()
            self._ladder("batch_size")
            self._ladder("momentum")
        if self._shown("depth", "width", "activation", "init"):
            self._heading("network")
            self._ladder("depth")
            self._ladder("width")
            self._choice("activation")
            self._choice("init")
            if config.init == "normal":
                self._ladder("init_std", default=0.1)
        if self._shown("dataset"):
            self._heading("data")
            self._choice("dataset", label="collapsed")
            if DATASETS[config.dataset].plane:
                self._ladder("noise", default=DATASETS[config.dataset].noise)
        if self._shown("norms"):
            self._heading("compare")
            self._norms()
        self._more()

    def _shown(self, *names: str) -> bool:
        return not self.hidden.issuperset(names)

    def _heading(self, group: str) -> None:
        words = self.words["group"]
        note = words.get(f"{group}_note", "")
        st.html(
            f'<h6 class="bnviz-group">{escape(words[group])} <small>{escape(note)}</small></h6>'
        )

    def _key(self, name: str) -> str:
        turns = st.session_state.setdefault("turns", {})
        return f"{name}-{turns[name]}" if name in turns else name

    def _keep(self, name: str, value: Any, same: Callable[[Any, Any], bool] = operator.eq) -> str:
        """The key of a widget that shows `value`, whatever moved it: itself, a preset, the view.

        A value set from elsewhere makes it another widget. A browser that has not heard of that
        yet still sends the old value with whatever it asks for next, and for the same widget that
        would be a knob moved back.
        """
        key, turns = self._key(name), st.session_state["turns"]
        if key in st.session_state and not same(st.session_state[key], value):
            turns[name] = turns.get(name, 0) + 1
            key = self._key(name)
        if key not in st.session_state:
            st.session_state[key] = value
        return key

    def _moved(self, name: str, key: str, act: Callable[[Any], None]) -> Callable[[], None]:
        """What a widget calls when it moved; one that has been replaced is not heard any more."""

        def moved() -> None:
            if key == self._key(name):
                act(st.session_state[key])

        return moved

    def _setting(self, knob: str) -> Callable[[Any], None]:
        return lambda value: self.lab.set_knobs(**{knob: value})

    def _preset(self) -> None:
        if "preset" in self.hidden:
            return
        words = texts(name="presets")
        key = self._keep("preset", self.lab.page.preset)
        st.selectbox(
            self.words["preset"], list(PRESETS), key=key, label_visibility="collapsed",
            format_func=lambda name: words[name]["label"], help=None,
            on_change=self._moved("preset", key, self.lab.open_preset),
        )  # fmt: skip
        st.caption(
            words[self.lab.page.preset]["help"] if self._as_preset() else self.words["changed"]
        )

    def _as_preset(self) -> bool:
        """Whether the run is what its preset says, or what the preset suggests to try."""
        preset, config = PRESETS[self.lab.page.preset], self.lab.config
        start = preset.config(seed=config.seed, device=config.device)
        return config in (start, start.replace(**preset.suggestion))

    def _ladder(self, name: str, *, default: float | None = None) -> None:
        if name in self.hidden:
            return
        value = getattr(self.lab.config, name)
        knob = KNOBS[name]
        self._slider(
            f"knob_{name}", knob.label, knob.help, LADDERS[name],
            default if value is None else value, self._setting(name),
        )  # fmt: skip

    def _slider(
        self, name: str, label: str, help_text: str, ladder: Sequence[float], value: Any,
        on_move: Callable[[Any], None],
    ) -> None:  # fmt: skip
        # A value from a link need not be a rung: it is shown as one of its own.
        options = sorted({*ladder, value})
        key = self._keep(name, value)
        st.select_slider(
            label, options, key=key, format_func=number, help=help_text, disabled=not self.lab.mine,
            on_change=self._moved(name, key, on_move),
        )  # fmt: skip

    def _rates(self) -> None:
        config = self.lab.config
        if "learning_rate" in self.hidden:
            return
        if config.learning_rates is None:
            self._ladder("learning_rate")
            self._suggestion()
        else:
            for index, norm in enumerate(config.norms):
                self._slider(
                    f"rate_{norm}",
                    self.words["control"]["rate_of"].format(network=self.words["network"][norm]),
                    KNOBS["learning_rates"].help, RATES, config.learning_rates[index],
                    functools.partial(self._set_rate, index),
                )  # fmt: skip
        if len(config.norms) > 1 and "learning_rates" not in self.hidden:
            key = self._keep("own_rates", config.learning_rates is not None)
            st.toggle(
                self.words["control"]["own_rates"], key=key, disabled=not self.lab.mine,
                help=self.words["control"]["own_rates_help"],
                on_change=self._moved("own_rates", key, self._link_rates),
            )  # fmt: skip

    def _set_rate(self, index: int, rate: float) -> None:
        rates = list(self.lab.config.rates().values())
        rates[index] = rate
        self.lab.set_knobs(learning_rates=tuple(rates))

    def _link_rates(self, own: bool) -> None:
        config = self.lab.config
        self.lab.set_knobs(learning_rates=tuple(config.rates().values()) if own else None)

    def _suggestion(self) -> None:
        """The rate the preset suggests trying; after that, the way back."""
        preset = PRESETS[self.lab.page.preset]
        rate = preset.suggestion.get("learning_rate")
        if rate is None or not self.lab.mine:
            return
        start = preset.config().learning_rate
        offer = start if self.lab.config.learning_rate == rate else rate
        if offer == self.lab.config.learning_rate:
            return
        st.button(
            self.words["control"]["try"].format(value=number(offer)), key="try_rate",
            on_click=lambda: self.lab.set_knobs(learning_rate=offer),
        )  # fmt: skip

    def _choice(self, name: str, *, label: Literal["visible", "collapsed"] = "visible") -> None:
        if name in self.hidden:
            return
        knob, words = KNOBS[name], self.words["choice"]
        key = self._keep(f"knob_{name}", getattr(self.lab.config, name))
        st.segmented_control(
            knob.label, knob.choices, key=key, required=True, help=knob.help, width="stretch",
            format_func=lambda choice: words[choice], disabled=not self.lab.mine,
            label_visibility=label,
            on_change=self._moved(f"knob_{name}", key, self._setting(name)),
        )  # fmt: skip

    def _norms(self) -> None:
        if "norms" in self.hidden:
            return
        knob, words = KNOBS["norms"], self.words["network"]
        key = self._keep("knob_norms", list(self.lab.config.norms), _same_norms)
        st.segmented_control(
            knob.label, knob.choices, key=key, selection_mode="multi", help=knob.help,
            format_func=lambda norm: words[f"short_{norm}"], disabled=not self.lab.mine,
            width="stretch", label_visibility="collapsed",
            on_change=self._moved("knob_norms", key, self._set_norms),
        )  # fmt: skip

        st.html(f"<style>{self._network_colours()}</style>")

    def _network_colours(self) -> str:
        """Each chosen network's button in the colour it has everywhere else."""
        styles = theme(st.context.theme.type == "dark").networks(self.lab.config.norms)
        places = {norm: place for place, norm in enumerate(KNOBS["norms"].choices, start=1)}
        return "".join(
            f"[class*=st-key-knob_norms] button:nth-of-type({places[norm]}) "
            f"{{ --bnviz-network: {style.text}; }}"
            for norm, style in styles.items()
        )

    def _set_norms(self, chosen: Sequence[str]) -> None:
        # In the registry's order, whatever order they were clicked in: colours follow it.
        self.lab.set_knobs(norms=tuple(norm for norm in KNOBS["norms"].choices if norm in chosen))

    def _more(self) -> None:
        if "more_knobs" in self.hidden:
            return
        with st.expander(self.words["group"]["more"]):
            self._choice("optimizer")
            self._ladder("weight_decay")
            self._choice("input_scaling")
            self._choice("norm_position")
            self._toggle("norm_affine")
            self._ladder("norm_eps")
            self._ladder("norm_momentum")
            self._seed()
            self._choice("device")

    def _toggle(self, name: str) -> None:
        if name in self.hidden:
            return
        key = self._keep(f"knob_{name}", getattr(self.lab.config, name))
        st.toggle(
            KNOBS[name].label, key=key, help=KNOBS[name].help, disabled=not self.lab.mine,
            on_change=self._moved(f"knob_{name}", key, self._setting(name)),
        )  # fmt: skip

    def _seed(self) -> None:
        if "seed" in self.hidden:
            return
        key = self._keep("knob_seed", self.lab.config.seed)
        st.number_input(
            KNOBS["seed"].label, 0, int(KNOBS["seed"].maximum or 0), step=1, key=key,
            help=self.words["control"]["seed_help"], disabled=not self.lab.mine,
            on_change=self._moved("knob_seed", key, self._setting("seed")),
        )  # fmt: skip


def _same_norms(chosen: Sequence[str], norms: Sequence[str]) -> bool:
    """Whether these are the same networks, in whatever order they were chosen."""
    return set(chosen) == set(norms)


def intro(norms: tuple[str, ...], words: Mapping[str, Any]) -> str:
    """The line under the title: what is compared."""
    if norms == ("none", "batch"):
        return str(words["intro"])
    if len(norms) == 1:
        return str(words["intro_one"])
    return str(words["intro_many"]).format(count=len(norms))
