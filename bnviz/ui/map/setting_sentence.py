"""The map's setting as a sentence, in which each part opens the widgets that change it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from bnviz.checks import why_no_skips
from bnviz.config import KNOBS, ConfigError
from bnviz.data import DATASETS
from bnviz.device import this_gpu
from bnviz.knobs import to_text
from bnviz.sweeps.plane import WHOLE
from bnviz.sweeps.setting import AXES, EQUAL, MOST_RUNGS, USUAL, Span
from bnviz.ui.chart_templates import network_colours
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import tag
from bnviz.ui.knob_widgets import KnobWidgets
from bnviz.ui.knobs import format_number
from bnviz.ui.map.tab_map import TabMap
from bnviz.ui.norm_picker import NormPicker
from bnviz.words.joining import in_list
from bnviz.words.phrase import integer_between
from bnviz.words.texts import texts

STEPS = (20, 50, 100, 200, 300, 500, 1000, 2000)
SEEDS = (1, 2, 3, 5, 10, 20)


class SettingSentence(KnobWidgets[TabMap]):
    def __init__(self, tab_map: TabMap) -> None:
        super().__init__(tab_map)
        self.own, self.said = texts("map")["page"], texts("map")["sentence"]

    def draw(self) -> None:
        with st.container(key="map_sentence", horizontal=True, gap="xxsmall"):
            st.html(tag("span", self.said["begin"]))
            for name, label, draw in self._parts():
                label = self._networks(":gray[{}]") if name == "norms" else label
                with st.popover(label, key=f"map_part_{name}", type="tertiary"):
                    draw()
            st.html(tag("span", self.said["end"]))
        self._colour_networks()

    def text(self) -> str:
        """The sentence as plain text, for a page without controls."""
        labels = [label for name, label, _ in self._parts() if name != "more" or self._others()]
        return f"{self.said['begin']} {in_list(labels)}. {self.said['end']}"

    def _parts(self) -> list[tuple[str, str, Callable[[], None]]]:
        """Parts in sentence order: name, words, and a function that draws the widgets."""
        setting, config, said = self.holder.setting, self.holder.config, self.said
        axes = self._axes_drawn()
        choice = self.own["choice"]
        both = said["axes"].format(
            across=choice[setting.across.knob], up=choice[setting.up.knob]
        )  # fmt: skip
        parts = [("axes", both, self._draw_axes), ("dataset", DATASETS[config.dataset].label,
                  lambda: self.choice("dataset", label="collapsed"))]  # fmt: skip
        for name, count in (("depth", config.depth), ("width", config.width)):
            if name not in axes:
                draw = partial(self.ladder, name)
                parts.append((name, said[name].format(count=count), draw))
        names = texts("lab")["choice"]
        parts.append(("activation", names[config.activation], partial(self.choice, "activation")))
        steps = said["data" if setting.equal == "data" else "steps"].format(count=setting.steps)
        parts.append(("steps", steps, self._draw_steps))
        parts.append(("norms", self._networks("{}"), NormPicker(self.holder).draw))
        others = self._others()
        parts.append(("more", others or said["more"], self._draw_more))
        return parts

    def _networks(self, form: str) -> str:
        """Names of the compared networks; `form` is a format string for one name."""
        names = (texts("norms")[norm]["network"] for norm in self.holder.config.norms)
        return self.said["against"].join(form.format(name) for name in names)

    def _colour_networks(self) -> None:
        norms = self.holder.config.norms
        colours = network_colours(norms, dark=st.context.theme.type == "dark")
        rules = "".join(
            f".st-key-map_part_norms p > :nth-child({place} of span)"
            f" {{ color: {colours[norm]['text']} !important; }}"
            for place, norm in enumerate(norms, start=1)
        )
        st.html(f"<style>{rules}</style>")

    def _axes_drawn(self) -> set[str]:
        return {self.holder.setting.across.knob, self.holder.setting.up.knob}

    def _others(self) -> str:
        """List the other changed knobs, or return "" if all other knobs have their usual values."""
        own = {*self._axes_drawn(), "dataset", "depth", "width", "activation", "norms"}
        usual, config = USUAL.config, self.holder.config
        changed = [
            f"{self.label(name)} {to_text(value)}" for name, value in config.changed().items()
            if name not in own and value != getattr(usual, name)
        ]  # fmt: skip
        seeds = self.holder.setting.seeds
        several = [self.said["seeds"].format(count=seeds)] if seeds > 1 else []
        return in_list([*several, *changed])

    def _draw_axes(self) -> None:
        self._axis("across")
        self._axis("up")
        self._heading("ranges")
        self._range("across")
        self._range("up")

    def _draw_steps(self) -> None:
        self._slider("steps", STEPS)
        equal = self.holder.setting.equal
        self._choice("equal", EQUAL, equal, lambda kind: self.holder.set_setting(equal=kind))

    def _draw_more(self) -> None:
        axes = self._axes_drawn()
        self._slider("seeds", SEEDS)
        for name in ("learning_rate", "batch_size"):
            if name not in axes:
                self.ladder(name)
        self._skips(axes)
        if "init_std" not in axes:
            self.choice("init")
            if self.holder.config.init == "normal":
                self.ladder("init_std", default=0.1)
        noise = DATASETS[self.holder.config.dataset].noise
        if noise:
            self.ladder("noise", default=noise)
        self.seed()

    def _heading(self, name: str) -> None:
        st.html(tag("h6", self.own["group"][name], class_="bnviz-group"))

    def _axis(self, side: str) -> None:
        self._heading(side)
        span: Span = getattr(self.holder.setting, side)
        self._choice(side, AXES, span.knob, lambda knob: self.holder.set_axis(side, knob))

    def _choice(
        self, name: str, options: Sequence[str], value: str, act: Callable[[str], None]
    ) -> None:
        words = self.own
        self.widget(
            st.segmented_control, f"map_{name}", value, act, words["label"][name], options,
            default=value, required=True, width="stretch", label_visibility="collapsed",
            format_func=words["choice"].__getitem__, help=words["help"].get(name),
        )  # fmt: skip

    def _slider(self, name: str, rungs: Sequence[int]) -> None:
        self.slider(
            f"map_{name}", self.own["label"][name], self.own["help"][name], rungs,
            getattr(self.holder.setting, name),
            lambda value: self.holder.set_setting(**{name: value}),
        )  # fmt: skip

    def slider(
        self, name: str, label: str, help_text: str, rungs: Sequence[float], value: Any,
        act: Callable[[Any], None],
    ) -> None:  # fmt: skip
        """Draw a slider. With a GPU, the map is redrawn while the slider is dragged."""
        if this_gpu() is None:
            super().slider(name, label, help_text, rungs, value, act)
            return
        key, first, last = f"{name}{self.holder.widget_suffix}", rungs[0], rungs[-1]

        def set_to(chosen: float) -> None:
            if all(isinstance(rung, int) for rung in rungs) and chosen != int(chosen):
                allowed = integer_between(int(first), int(last))
                self.holder.refuse(ConfigError(name, chosen, allowed))
                return
            try:
                act(type(first)(chosen))
            except ConfigError as error:
                self.holder.refuse(error)

        def sent() -> None:
            match st.session_state[key].set:
                case {"value": int() | float() as chosen, "dragged": bool() as dragged} if (
                    math.isfinite(chosen)
                ):
                    self.holder.drag(lambda: set_to(chosen), goes_on=dragged)

        component("map_knob")(
            key=key,
            data={
                **drawn_by("map_knob.js"),
                "spec": {
                    "id": name, "label": label, "help": help_text, "field": name, "page": 2,
                    "allowed": f"{format_number(first)} – {format_number(last)}", "rungs": rungs,
                    "home": _usual(name, value),
                },
                "value": value,
                "texts": {"knob": texts("live")["knob"]},
                "dark": st.context.theme.type == "dark",
                "can_control": self.holder.can_control,
            },
            on_set_change=sent,
        )  # fmt: skip

    def _range(self, side: str) -> None:
        st.caption(self.own["choice"][getattr(self.holder.setting, side).knob])
        for column, part in zip(st.columns(3), ("low", "high", "count"), strict=True):
            with column:
                self._number(side, part)

    def _number(self, side: str, part: str) -> None:
        span: Span = getattr(self.holder.setting, side)
        knob, count = KNOBS[span.knob], part == "count"
        integer = count or span.knob in WHOLE
        kind = int if integer else float
        limits = (1, MOST_RUNGS) if count else (knob.minimum or 0.0, knob.maximum or 0.0)
        value = kind(getattr(span, part))
        step = 1 if integer else float(f"{value / 10:.1g}")

        def act(chosen: Any) -> None:
            try:
                self.holder.set_setting(**{side: replace(span, **{part: chosen})})
            except ConfigError as error:
                self.holder.refuse(error)

        self.widget(
            st.number_input, f"map_{side}_{part}", value, act, self.own["label"][part],
            *map(kind, limits), value, step=step, format=None if integer else "%.9g",
        )  # fmt: skip

    def _skips(self, axes: set[str]) -> None:
        config = self.holder.config
        if why_no_skips(config) is not None:
            return
        if "skip" not in axes:
            self.ladder("skip")
        if "skip" in axes or config.skip:
            self.ladder("branch_start")


def _usual(name: str, value: Any) -> Any:
    """Value of a slider on the default map, or `value` if the default map has no value for it."""
    owner, knob = name.split("_", 1)
    found = getattr(USUAL if owner == "map" else USUAL.config, knob)
    return value if found is None else found
