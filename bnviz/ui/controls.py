"""The knobs in the sidebar. Their names, ranges and help come from `RunConfig`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from bnviz.presets import LESSON_OF, PRESETS
from bnviz.texts import texts
from bnviz.ui.claims.html import tag
from bnviz.ui.drawer import Drawer
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
        """Draw the preset, the four knobs that are open, and the drawer with all others."""
        self._preset()
        mount_knobs(self.lab, ["learning_rate", "batch_size"], "live_knobs", heading="live")
        self._size()
        NormPicker(self.widgets).draw()
        Drawer(self.lab, self.widgets).draw()

    def _preset(self) -> None:
        if not self.widgets.shown("preset"):
            return
        words = texts(name="presets")
        # Nothing is chosen in it and the present one stands in its place: a box says nothing of a
        # choice that it shows already, and the same preset is to start anew.
        key = self.widgets.keep("preset", None)
        shown = self._preset_name(self.lab.page.preset)
        with st.container(horizontal=True, key="restoring"):
            self.widgets.heading("preset")
            st.button(
                self.words["restore"], key="restore", type="tertiary", icon=":material/undo:",
                help=self.words["restore_help"], disabled=not self.lab.can_control,
                on_click=restore, args=(self.lab,),
            )  # fmt: skip
        st.selectbox(
            f"{self.words['group']['preset']}: {shown}", _preset_list(), index=None, key=key,
            label_visibility="collapsed", placeholder=shown, format_func=self._preset_name,
            on_change=self.widgets.moved("preset", key, self._open_preset),
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
