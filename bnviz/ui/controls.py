"""The knobs in the sidebar. Their names, ranges and help come from `RunConfig`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from bnviz.config import KNOBS
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.presets import LESSON_OF, PRESETS
from bnviz.texts import texts
from bnviz.ui.claims.html import tag
from bnviz.ui.dependencies import ABLATED, ABLATIONS
from bnviz.ui.knobs import mount_knobs
from bnviz.ui.lab import Lab
from bnviz.ui.navigation import page_link
from bnviz.ui.norm_picker import NormPicker
from bnviz.ui.restoring import restore
from bnviz.ui.widgets import Widgets


class Controls:
    """Draws the sidebar of one lab and sends what moved to it."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.widgets = lab, Widgets(lab)
        self.words = self.widgets.words

    def draw(self) -> None:
        """Draw every group that the address does not hide."""
        widgets = self.widgets
        self._preset()
        live = ["learning_rate", "batch_size", "momentum"]
        mount_knobs(self.lab, live, "live_knobs", heading="live")
        self._network()
        if widgets.shown("dataset"):
            widgets.heading("data")
            widgets.choice("dataset", label="collapsed")
            data = DATASETS[self.lab.config.dataset]
            if data.plane:
                widgets.ladder("noise", default=data.noise)
        NormPicker(widgets).draw()
        self._ablations()
        self._more()

    def _preset(self) -> None:
        if not self.widgets.shown("preset"):
            return
        words = texts(name="presets")
        # Nothing is chosen in it and the present one stands in its place: a box says nothing of a
        # choice that it shows already, and the same preset is to start anew.
        key = self.widgets.keep("preset", None)
        shown = self._preset_name(self.lab.page.preset)
        st.selectbox(
            f"{self.words['preset']}: {shown}", _preset_list(), index=None, key=key,
            label_visibility="collapsed", placeholder=shown, format_func=self._preset_name,
            on_change=self.widgets.moved("preset", key, self._open_preset),
        )  # fmt: skip
        st.button(
            self.words["restore"], key="restore", type="tertiary", icon=":material/undo:",
            help=self.words["restore_help"], disabled=not self.lab.can_control,
            on_click=restore, args=(self.lab,),
        )  # fmt: skip
        if not self.lab.is_presets_run():
            st.caption(self.words["changed"])
            return
        chosen, opposite = words[self.lab.page.preset], PRESETS[self.lab.page.preset].opposite
        source = f" *{chosen['source']}.*" if "source" in chosen else ""
        st.caption(chosen["help"] + source)
        self._lesson()
        if opposite:
            st.button(
                self.words["opposite"].format(label=words[opposite]["label"]), key="opposite",
                type="tertiary", disabled=not self.lab.can_control,
                on_click=self.lab.open_preset, args=(opposite,),
            )  # fmt: skip

    def _lesson(self) -> None:
        """The lesson to whose question the preset belongs."""
        name = LESSON_OF[self.lab.page.preset]
        title = texts(f"lessons/{name}")["title"]
        link = page_link("lessons", title, {"lesson": name})
        st.html(tag("p", self.words["lesson"], " ", link, class_="bnviz-lesson"))

    def _preset_name(self, name: str) -> str:
        """What is to be seen, and the number of the experiment; or a heading of the list."""
        heading, words = self.words["presets"].get(name), texts(name="presets").get(name, {})
        return heading or " · ".join(words[part] for part in ("label", "number") if part in words)

    def _open_preset(self, name: str | None) -> None:
        # A heading opens nothing.
        if name in PRESETS:
            self.lab.open_preset(name)

    def _network(self) -> None:
        config, widgets = self.lab.config, self.widgets
        recurrent = config.network == "recurrent"
        size = ("sequence",) if recurrent else ("depth",)
        if not widgets.shown("network", *size, "width", "activation", "init"):
            return
        widgets.heading("network")
        widgets.choice("network", label="collapsed")
        if recurrent:
            widgets.choice("sequence")
        else:
            widgets.ladder("depth")
        widgets.ladder("width")
        widgets.choice("activation")
        widgets.choice("init")
        if config.init == "normal":
            widgets.ladder("init_std", default=0.1)

    def _ablations(self) -> None:
        widgets = self.widgets
        if not widgets.shown("ablations") or not widgets.shown(*ABLATIONS):
            return
        fold = widgets.fold("ablations", self.words["group"]["ablations"])
        if not fold.open:
            return
        with fold:
            if ABLATED not in self.lab.config.norms:
                st.caption(self.words["control"]["ablated_joins"])
            widgets.choice("ablation_statistics")
            widgets.toggle("ablation_gradient")
            widgets.toggle("ablation_affine")
            widgets.toggle("ablation_bias")
            self._layers()

    def _layers(self) -> None:
        """On which layers BN taken apart stands; none chosen: on all."""
        name, config, widgets = "ablation_layers", self.lab.config, self.widgets
        if not widgets.shown(name):
            return
        words = self.words["label"]
        word = words.get(config.network, {}).get("layer", words["layer"])
        layers = list(config.ablation_layers or ())
        key = widgets.keep(f"knob_{name}", layers, _same)
        st.multiselect(
            widgets.label(name), range(1, config.layer_count + 1), layers, key=key,
            select_all=False, help=KNOBS[name].help,
            format_func=lambda layer: word.format(number=layer),
            placeholder=self.words["control"]["all_layers"], disabled=not self.lab.can_control,
            on_change=widgets.moved(
                f"knob_{name}", key,
                lambda layers: self.lab.set_knobs(ablation_layers=tuple(sorted(layers)) or None),
            ),
        )  # fmt: skip

    def _more(self) -> None:
        config, widgets = self.lab.config, self.widgets
        if not widgets.shown("more_knobs"):
            return
        fold = widgets.fold("more", self.words["group"]["more"])
        if not fold.open:
            return
        with fold:
            widgets.choice("optimizer")
            mount_knobs(self.lab, ["weight_decay"], "more_live_knobs")
            widgets.choice("loss")
            widgets.choice("input_scaling")
            if config.network != "recurrent":
                widgets.choice("norm_position")
            widgets.toggle("norm_affine")
            widgets.ladder("norm_eps")
            widgets.ladder("norm_momentum")
            for knob in _options(config.norms):
                widgets.ladder(knob)
            if config.network == "recurrent":
                widgets.ladder("recurrent_gamma")
            widgets.seed()
            widgets.choice("device")


def _preset_list() -> list[str]:
    """The presets, those of each group under its heading but for the first."""
    groups = list(dict.fromkeys(preset.group for preset in PRESETS.values()))
    listed: list[str] = []
    for group in groups:
        listed += [group] if listed else []
        listed += [name for name, preset in PRESETS.items() if preset.group == group]
    return listed


def _options(norms: Sequence[str]) -> list[str]:
    """Knobs of the norms that are compared, but for those that take BN apart."""
    knobs = [knob for norm in norms for knob in NORMS[norm].options.values()]
    return [knob for knob in knobs if knob not in ABLATIONS]


def _same(chosen: Sequence[int], layers: Sequence[int]) -> bool:
    """Whether these are the same layers, in whatever order they were chosen."""
    return set(chosen) == set(layers)


def intro(norms: tuple[str, ...], words: Mapping[str, Any]) -> str:
    """The line under the title: what is compared."""
    if norms == ("none", "batch"):
        return str(words["intro"])
    if len(norms) == 1:
        return str(words["intro_one"])
    return str(words["intro_many"]).format(count=len(norms))
