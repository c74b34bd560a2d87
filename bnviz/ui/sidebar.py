"""Sidebar of the lab: the preset, four knobs, and a drawer with all other knobs.

The page contains all knobs of the drawer, and the browser hides those that do not match a search
(`assets/knob_drawer.js`). So neither opening the drawer nor typing runs a script.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from bnviz.actions import ACTIONS, SCALE_WEIGHTS
from bnviz.config import KNOBS, LIVE_KNOBS
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.presets import LESSON_OF, PRESETS
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import tag
from bnviz.ui.knob_dependencies import ABLATED, ABLATIONS, SET_WITH, why_not
from bnviz.ui.knob_widgets import KnobWidgets
from bnviz.ui.knobs import (
    LADDERS,
    choice_words,
    device_reason,
    live_choices,
    mount_edge,
    mount_knobs,
)  # fmt: skip
from bnviz.ui.lab_query import values_of
from bnviz.ui.navigation import page_link
from bnviz.ui.norm_picker import NormPicker
from bnviz.ui.report import knob_text
from bnviz.ui.tab_run import TabRun
from bnviz.words.joining import in_list, labelled
from bnviz.words.texts import Words, texts

KEY = "knob_drawer"
# Name of the stability edge, a measured value that is listed among the knobs.
EDGE = "edge"
# Knobs of the drawer, by group.
GROUPS: dict[str, tuple[str, ...]] = {
    "live": ("momentum", "weight_decay", "rate_factors", SCALE_WEIGHTS),
    "network": (
        "network", "width", "skip", "activation", "init", "init_std", "branch_start", "sequence",
    ),
    "data": ("dataset", "noise", "input_scaling"),
    "training": ("optimizer", "loss"),
    "norms": (
        "norm_position", "norm_affine", "norm_eps", "norm_momentum", "norm_statistics",
        "norm_groups", "ghost_size", "dropout", "recurrent_gamma",
    ),
    "ablations": ABLATIONS,
    "run": ("seed", "device"),
    "measure": (EDGE,),
}  # fmt: skip
# Knobs that `more_knobs` in an address hides together.
MORE_KNOBS = (
    "weight_decay", "input_scaling", *GROUPS["training"], *GROUPS["norms"], *GROUPS["run"],
)  # fmt: skip
# CSS selectors of the knobs above the drawer, so that a search can focus them.
OPEN_KNOBS = {
    "learning_rate": ".st-key-live_knobs .bnviz-knob input[type=range]",
    "learning_rates": ".st-key-live_knobs .bnviz-knob-own input",
    "batch_size": ".st-key-live_knobs [data-knob=batch_size] input[type=range]",
    "depth": ".st-key-open_size input",
    "sequence": ".st-key-open_size [tabindex='0']",
    "norms": ".st-key-open_norms [tabindex='0']",
}


class LabSidebar(KnobWidgets[TabRun]):
    def draw(self) -> None:
        self._draw_preset()
        mount_knobs(self.holder, ["learning_rate", "batch_size"], "live_knobs", heading="live")
        self._draw_size()
        NormPicker(self.holder).draw()
        KnobDrawer(self.holder).draw()

    def _draw_preset(self) -> None:
        if not self.shown("preset"):
            return
        words, preset = texts("presets"), self.holder.query.preset
        # Show the current preset as the placeholder of an empty box. A select box does not report
        # that its current value was chosen again, but choosing the current preset must restart the
        # preset's run.
        shown = self._preset_name(preset)
        with st.container(horizontal=True, key="restoring"):
            self.heading("preset")
            st.button(
                self.words["restore"], key="restore", type="tertiary", icon=":material/undo:",
                help=self.words["restore_help"], disabled=not self.holder.can_control,
                on_click=self.holder.restore,
            )  # fmt: skip
        self.widget(
            st.selectbox, "preset", None, self._open_preset,
            labelled(self.words["group"]["preset"], shown), _preset_list(), index=None,
            label_visibility="collapsed", placeholder=shown, format_func=self._preset_name,
        )  # fmt: skip
        if not self.holder.is_presets_run():
            st.caption(self.words["changed_claim" if self.holder.query.claim else "changed"])
            return
        chosen, opposite = words[preset], PRESETS[preset].opposite
        source = f" *{chosen['source']}.*" if "source" in chosen else ""
        st.caption(chosen["help"] + source)
        self._draw_lesson()
        if opposite:
            st.button(
                self.words["opposite"].format(label=words[opposite]["label"]), key="opposite",
                type="tertiary", disabled=not self.holder.can_control,
                on_click=self.holder.open_preset, args=(opposite,),
            )  # fmt: skip

    def _draw_lesson(self) -> None:
        name = LESSON_OF[self.holder.query.preset]
        title = texts(f"lessons/{name}")["title"]
        link = page_link("lessons", title, {"lesson": name})
        st.html(tag("p", self.words["lesson"], " ", link, class_="bnviz-lesson"))

    def _preset_name(self, name: str) -> str:
        """Label of a preset with the number of its experiment, or a heading of the list."""
        heading, words = self.words["presets"].get(name), texts("presets").get(name, {})
        return heading or " · ".join(words[part] for part in ("label", "number") if part in words)

    def _open_preset(self, name: str) -> None:
        if name in PRESETS:  # otherwise it is a heading of the list
            self.holder.open_preset(name)

    def _draw_size(self) -> None:
        """Draw the depth knob, or the number of time steps of a recurrent network."""
        recurrent = self.holder.config.network == "recurrent"
        size = "sequence" if recurrent else "depth"
        if self.shown(size, "norms"):
            self.heading("network")
        if self.shown(size):
            with st.container(key="open_size"):
                (self.choice if recurrent else self.ladder)(size)


def _preset_list() -> list[str]:
    """Names of presets; each group except the first follows its heading."""
    groups: dict[str, list[str]] = {}
    for name, preset in PRESETS.items():
        groups.setdefault(preset.group, [preset.group]).append(name)
    return [name for names in groups.values() for name in names][1:]


def intro(norms: tuple[str, ...], words: Words) -> str:
    """Line below the title that names the comparison."""
    if norms == ("none", "batch"):
        return str(words["intro"])
    if len(norms) == 1:
        return str(words["intro_one"])
    return str(words["intro_many"]).format(count=len(norms))


class KnobDrawer(KnobWidgets[TabRun]):
    """Drawer of the lab: a search, the knobs, and a list of changed knobs."""

    def draw(self) -> None:
        groups = {
            group: [name for name in names if self._is_here(name)]
            for group, names in GROUPS.items()
        }
        if not any(groups.values()):
            return
        with st.container(key="drawer"):
            self._draw_head(groups)
            with st.container(key="drawer_knobs"):
                for group, names in groups.items():
                    if names:
                        self._draw_group(group, names)

    def _is_here(self, name: str) -> bool:
        """Return whether a knob is in the drawer; a recurrent network's `sequence` is above it."""
        above = name == "sequence" and self.holder.config.network == "recurrent"
        return self._shown(name) and not above

    def _shown(self, name: str) -> bool:
        """Return whether the address hides neither a knob nor its group."""
        group = (name in MORE_KNOBS and "more_knobs") or (name in ABLATIONS and "ablations")
        return self.shown(name) and (not group or self.shown(group))

    def _draw_group(self, group: str, names: Iterable[str]) -> None:
        with st.container(key=f"drawer_group_{group}"):
            self.heading(group)
            if group == "ablations" and ABLATED not in self.holder.config.norms:
                st.caption(self.words["control"]["ablated_joins"])
            for name in names:
                with st.container(key=f"drawer_knob_{name}"):
                    self._draw_knob(name)

    def _draw_knob(self, name: str) -> None:
        """Draw the control of a knob, or the reason why it currently has no effect."""
        why = why_not(self.holder.config, name)
        if why is not None:
            noisy = in_list(data.label for data in DATASETS.values() if data.noise)
            reason = self.words["drawer"]["why"][why].format(noisy=noisy)
            st.caption(labelled(self.label(name), reason))
        elif name == EDGE:
            mount_edge(self.holder, "stability_edge")
        elif name in (*LIVE_KNOBS, *ACTIONS):
            mount_knobs(self.holder, [name], f"{name}_knob")
        elif name == "seed":
            self.seed()
        elif name == "ablation_layers":
            self.layers(name)
        elif name == "norm_momentum":
            self.optional_ladder(name, unset=0.0)
        elif name in (*LADDERS, "norm_groups"):
            own = {"init_std": 0.1, "noise": DATASETS[self.holder.config.dataset].noise}
            self.ladder(name, default=own.get(name))
        elif KNOBS[name].kind == "bool":
            self.toggle(name)
        else:
            same = name in ("network", "dataset")  # the group of these knobs has the same name
            self.choice(name, label="collapsed" if same else "visible")
        if name == "device" and (reason := device_reason(self.holder)):
            st.caption(reason)

    def _draw_head(self, groups: dict[str, list[str]]) -> None:
        """Draw the search and the changed knobs; the browser updates the values of live knobs."""
        component(KEY)(
            key=KEY,
            data={
                "run": self.holder.run_id or None,
                **drawn_by("knob_drawer.js"),
                "texts": {"drawer": self._drawer_words()},
                "dark": st.context.theme.type == "dark",
                "can_control": self.holder.can_control,
                "knobs_in_all": sum(self._shown(name) for name in KNOBS),
                "entries": [*self._entries_above(), *self._entries(groups)],
                "homes": None if not self.shown("preset") else self._defaults(),
            },
            on_back_change=self._reset_sent,
        )

    def _drawer_words(self) -> Words:
        words = self.words["drawer"]
        return {**words, "same": words["same_claim"]} if self.holder.query.claim else words

    def _entries_above(self) -> list[dict[str, Any]]:
        config = self.holder.config
        return [
            {**self._entry(name, None), "at": at}
            for name, at in OPEN_KNOBS.items()
            if self._shown(name) and why_not(config, name) is None
            and (name != "learning_rates" or len(config.norms) > 1)
        ]  # fmt: skip

    def _entries(self, groups: dict[str, list[str]]) -> list[dict[str, Any]]:
        config = self.holder.config
        return [
            {**self._entry(name, group), "applies": why_not(config, name) is None}
            for group, names in groups.items()
            for name in names
        ]

    def _entry(self, name: str, group: str | None) -> dict[str, Any]:
        """Search entry of a knob, found by name, field, choices and synonyms."""
        label, words = self.label(name), texts("knobs")[name]
        title = [self.words["group"][group]] if group else []
        return {
            "name": name, "group": group, "label": label, "knob": name in KNOBS,
            "names": " ".join([label, name, words["also"], *self._choice_words(name), *title]),
            "help": words["help"],
        }  # fmt: skip

    def _choice_words(self, name: str) -> list[str]:
        if name == "norms":
            norms = texts("norms")
            return [norms[norm][word] for norm in NORMS for word in ("choice", "network")]
        choices = KNOBS[name].choices if name in KNOBS else ()
        return [choice_words()[choice] for choice in choices]

    def _defaults(self) -> list[dict[str, Any]]:
        """Data of all live knobs and of changed knobs; the browser adds the current live values."""
        config = self.holder.config
        defaults = values_of(self.holder.preset_config(), config)
        return [
            {
                "name": name, "label": self.label(name), "live": KNOBS[name].live,
                "home": defaults[name], "was": self._value_text(name, defaults[name]),
                "now": self._value_text(name, getattr(config, name)),
                **({"choices": live_choices(name)} if name in LIVE_KNOBS else {}),
            }
            for name in KNOBS
            if self._shown(name) and why_not(config, name) is None
            and (KNOBS[name].live or getattr(config, name) != defaults[name])
        ]  # fmt: skip

    def _value_text(self, name: str, value: Any) -> str:
        if value is None:
            return str(texts("knobs")[name]["unset"])
        if name == "norms":
            return in_list(texts("norms")[norm]["choice"] for norm in value)
        return knob_text(name, value)

    def _reset_sent(self) -> None:
        sent = st.session_state[KEY].back
        names = sent if isinstance(sent, list) else []
        reset_knobs(self.holder, [name for name in KNOBS if name in names and self._shown(name)])


def reset_knobs(lab: TabRun, names: Iterable[str]) -> None:
    """Reset knobs to the preset's values, including knobs that are set along with them."""
    preset = lab.preset_config()
    own = values_of(preset, lab.config)
    values = {name: own[name] for name in names}
    for name in tuple(values):
        values |= {other: getattr(preset, other) for other in SET_WITH.get(name, ())}
    if values:
        lab.set_knobs(**values)
