"""The drawer of the sidebar: every knob that is not open there, and what differs from the preset.

All of them are in the page. Which of them are seen is settled in the browser, by a word that is
looked for (`assets/knob_drawer.js`), so that neither opening the drawer nor typing runs a script.

The knobs in the sidebar. Their names, ranges and help come from `RunConfig`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from bnviz.config import KNOBS, LIVE_KNOBS, defaults
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.presets import LESSON_OF, PRESETS
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import tag
from bnviz.ui.knob_dependencies import ABLATED, ABLATIONS, goes_back_with, why_not
from bnviz.ui.knob_widgets import KnobWidgets
from bnviz.ui.knobs import mount_edge, mount_knobs, number
from bnviz.ui.navigation import page_link
from bnviz.ui.norm_picker import NormPicker
from bnviz.ui.tab_run import TabRun
from bnviz.words.texts import texts

KEY = "knob_drawer"
# A measured value that stands among the knobs.
EDGE = "edge"
GROUPS: dict[str, tuple[str, ...]] = {
    "live": ("momentum", "weight_decay"),
    "network": ("network", "width", "activation", "init", "init_std", "sequence"),
    "data": ("dataset", "noise", "input_scaling"),
    "training": ("optimizer", "loss"),
    "norms": (
        "norm_position", "norm_affine", "norm_eps", "norm_momentum", "norm_groups", "dropout",
        "recurrent_gamma",
    ),
    "ablations": ABLATIONS,
    "run": ("seed", "device"),
    "measure": (EDGE,),
}  # fmt: skip
# What the word `more_knobs` of an address takes away at once.
MORE = (
    "weight_decay", "input_scaling", *GROUPS["training"], *GROUPS["norms"], *GROUPS["run"],
)  # fmt: skip
# Where the knobs that are open above the drawer can be taken hold of.
OPEN = {
    "learning_rate": ".st-key-live_knobs .bnviz-knob input[type=range]",
    "learning_rates": ".st-key-live_knobs .bnviz-knob-own input",
    "batch_size": ".st-key-live_knobs [data-knob=batch_size] input[type=range]",
    "depth": ".st-key-open_size input",
    "sequence": ".st-key-open_size [tabindex='0']",
    "norms": ".st-key-open_norms [tabindex='0']",
}
SLIDER_KNOBS = frozenset(
    {
        "width", "init_std", "noise", "norm_eps", "norm_momentum", "norm_groups", "dropout",
        "recurrent_gamma",
    }
)  # fmt: skip


class KnobDrawer:
    """Draws the drawer of one lab, and takes knobs back to the preset."""

    def __init__(self, lab: TabRun, widgets: KnobWidgets) -> None:
        self.lab, self.widgets = lab, widgets
        self.words = widgets.words["drawer"]

    def draw(self) -> None:
        """Draw what the address leaves of it."""
        groups = {group: [name for name in names if self._stands_here(name)]
                  for group, names in GROUPS.items()}  # fmt: skip
        if not any(groups.values()):
            return
        with st.container(key="drawer"):
            self._head(groups)
            with st.container(key="drawer_knobs"):
                for group, names in groups.items():
                    if names:
                        self._group(group, names)

    def _stands_here(self, name: str) -> bool:
        return self._left(name) and not (name == "sequence" and self._recurrent)

    @property
    def _recurrent(self) -> bool:
        return self.lab.config.network == "recurrent"

    def _left(self, name: str) -> bool:
        """Whether the address leaves a knob to the visitor."""
        shown = self.widgets.shown
        whole = (name in MORE and "more_knobs") or (name in ABLATIONS and "ablations")
        return shown(name) and (not whole or shown(whole))

    def _group(self, group: str, names: Iterable[str]) -> None:
        with st.container(key=f"drawer_group_{group}"):
            self.widgets.heading(group)
            if group == "ablations" and ABLATED not in self.lab.config.norms:
                st.caption(self.widgets.words["control"]["ablated_joins"])
            for name in names:
                with st.container(key=f"drawer_knob_{name}"):
                    self._knob(name)

    def _knob(self, name: str) -> None:
        """The control of a knob, or why it has none now."""
        widgets, why = self.widgets, why_not(self.lab.config, name)
        if why is not None:
            st.caption(f"{self._label(name)}: {self.words['why'][why]}")
        elif name == EDGE:
            mount_edge(self.lab, "stability_edge")
        elif name in LIVE_KNOBS:
            mount_knobs(self.lab, [name], f"{name}_knob")
        elif name == "seed":
            widgets.seed()
        elif name == "ablation_layers":
            widgets.layers(name)
        elif name in SLIDER_KNOBS:
            own = {"init_std": 0.1, "noise": DATASETS[self.lab.config.dataset].noise}
            widgets.ladder(name, default=own.get(name))
        elif KNOBS[name].kind == "bool":
            widgets.toggle(name)
        else:
            same = name in ("network", "dataset")  # the group is called so
            widgets.choice(name, label="collapsed" if same else "visible")

    def _head(self, groups: dict[str, list[str]]) -> None:
        """The search, and what differs: drawn in the browser, which knows the live knobs best."""
        component(KEY)(
            key=KEY,
            data={
                "run": self.lab.run_id or None,
                **drawn_by("knob_drawer.js"),
                "texts": {"drawer": dict(self.words)},
                "dark": st.context.theme.type == "dark",
                "can_control": self.lab.can_control,
                "knobs_in_all": sum(self._left(name) for name in KNOBS),
                "entries": [*self._open_entries(), *self._entries(groups)],
                "homes": None if not self.widgets.shown("preset") else self._homes(),
            },
            on_back_change=self._take_back,
        )

    def _open_entries(self) -> list[dict[str, Any]]:
        config, entries = self.lab.config, []
        for name, at in OPEN.items():
            elsewhere = name == ("depth" if self._recurrent else "sequence")
            absent = name == "learning_rates" and len(config.norms) < 2
            if self._left(name) and not elsewhere and not absent:
                entries.append({**self._entry(name, None), "at": at})
        return entries

    def _entries(self, groups: dict[str, list[str]]) -> list[dict[str, Any]]:
        config = self.lab.config
        return [
            {**self._entry(name, group), "applies": why_not(config, name) is None}
            for group, names in groups.items()
            for name in names
        ]

    def _entry(self, name: str, group: str | None) -> dict[str, Any]:
        """A knob as it is found: by its name, its field, its choices, and other words for it."""
        label, also = self._label(name), self.words["also"].get(name, "")
        title = [self.widgets.words["group"][group]] if group else []
        return {
            "name": name, "group": group, "label": label, "knob": name in KNOBS,
            "names": " ".join([label, name, also, *self._choice_words(name), *title]),
            "help": self.words["edge_help"] if name == EDGE else KNOBS[name].help,
        }  # fmt: skip

    def _choice_words(self, name: str) -> list[str]:
        if name == "norms":
            norms = texts("norms")
            return [norms[norm][word] for norm in NORMS for word in ("choice", "network")]
        choices = KNOBS[name].choices if name in KNOBS else ()
        return [self.widgets.words["choice"][choice] for choice in choices]

    def _label(self, name: str) -> str:
        return str(self.words["edge"]) if name == EDGE else self.widgets.label(name)

    def _homes(self) -> list[dict[str, Any]]:
        """Knobs that can go back: the live ones, which move without a script, and what differs."""
        config, home = self.lab.config, knob_homes(self.lab)
        return [
            {
                "name": name, "label": self._label(name), "live": KNOBS[name].live,
                "home": home[name], "was": self._said(name, home[name]),
                "now": self._said(name, getattr(config, name)),
            }
            for name in KNOBS
            if self._left(name) and why_not(config, name) is None
            and (KNOBS[name].live or getattr(config, name) != home[name])
        ]  # fmt: skip

    def _said(self, name: str, value: Any) -> str:
        """A knob's value as the page writes it."""
        choices = self.widgets.words["choice"]
        if value is None:
            return str(self.words["unset"][name])
        if isinstance(value, bool):
            return str(choices["on" if value else "off"])
        if isinstance(value, str):
            return str(choices[value])
        if name == "norms":
            return ", ".join(texts("norms")[norm]["choice"] for norm in value)
        if isinstance(value, Sequence):
            return ", ".join(number(one) for one in value)
        return str(value) if isinstance(value, int) else number(value)

    def _take_back(self) -> None:
        asked = st.session_state[KEY].back
        take_back(self.lab, [name for name in KNOBS if _names(asked, name) and self._left(name)])


def _names(asked: Any, name: str) -> bool:
    """Whether a browser asked for a knob; it may say anything."""
    return isinstance(asked, list) and name in asked


def knob_homes(lab: TabRun) -> dict[str, Any]:
    """Every knob as the preset has it, or as the kind of network or the optimizer brings it."""
    home, config = lab.preset_config(), lab.config
    read: dict[str, Any] = {name: knob.default for name, knob in KNOBS.items()}
    return read | defaults(config.network, config.optimizer) | home.changed()


def take_back(lab: TabRun, names: Iterable[str]) -> None:
    """Put some knobs back to what the preset says, with those that went along with them."""
    homes, home = knob_homes(lab), lab.preset_config()
    values = {name: homes[name] for name in names}
    for name in tuple(values):
        values |= {other: getattr(home, other) for other in goes_back_with(name)}
    if values:
        lab.set_knobs(**values)


class LabSidebar:
    """Draws the sidebar of one lab and sends what moved to it."""

    def __init__(self, lab: TabRun) -> None:
        self.lab, self.widgets = lab, KnobWidgets(lab)
        self.words = self.widgets.words

    def draw(self) -> None:
        """Draw the preset, the four knobs that are open, and the drawer with all others."""
        self._preset()
        mount_knobs(self.lab, ["learning_rate", "batch_size"], "live_knobs", heading="live")
        self._size()
        NormPicker(self.widgets).draw()
        KnobDrawer(self.lab, self.widgets).draw()

    def _preset(self) -> None:
        if not self.widgets.shown("preset"):
            return
        words = texts(name="presets")
        # Nothing is chosen in it and the present one stands in its place: a box says nothing of a
        # choice that it shows already, and the same preset is to start anew.
        key = self.widgets.key_for("preset", None)
        shown = self._preset_name(self.lab.query.preset)
        with st.container(horizontal=True, key="restoring"):
            self.widgets.heading("preset")
            st.button(
                self.words["restore"], key="restore", type="tertiary", icon=":material/undo:",
                help=self.words["restore_help"], disabled=not self.lab.can_control,
                on_click=self.lab.restore,
            )  # fmt: skip
        st.selectbox(
            f"{self.words['group']['preset']}: {shown}", _preset_list(), index=None, key=key,
            label_visibility="collapsed", placeholder=shown, format_func=self._preset_name,
            on_change=self.widgets.on_change("preset", key, self._open_preset),
        )  # fmt: skip
        if not self.lab.is_presets_run():
            st.caption(self.words["changed"])
            return
        chosen, opposite = words[self.lab.query.preset], PRESETS[self.lab.query.preset].opposite
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
        name = LESSON_OF[self.lab.query.preset]
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

    def _size(self) -> None:
        """How deep the networks are; of a recurrent one how many steps it takes through time."""
        widgets = self.widgets
        recurrent = self.lab.config.network == "recurrent"
        size = "sequence" if recurrent else "depth"
        if widgets.shown(size, "norms"):
            widgets.heading("network")
        if not widgets.shown(size):
            return
        with st.container(key="open_size"):
            if recurrent:
                widgets.choice("sequence")
            else:
                widgets.ladder("depth")


def _preset_list() -> list[str]:
    """The presets, those of each group under its heading but for the first."""
    groups = list(dict.fromkeys(preset.group for preset in PRESETS.values()))
    listed: list[str] = []
    for group in groups:
        listed += [group] if listed else []
        listed += [name for name, preset in PRESETS.items() if preset.group == group]
    return listed


def intro(norms: tuple[str, ...], words: Mapping[str, Any]) -> str:
    """The line under the title: what is compared."""
    if norms == ("none", "batch"):
        return str(words["intro"])
    if len(norms) == 1:
        return str(words["intro_one"])
    return str(words["intro_many"]).format(count=len(norms))
