"""Selection of the compared networks: usual norms side by side, the others in an expander."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from bnviz.config import KNOBS
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS, Shelf
from bnviz.ui.html import tag
from bnviz.ui.knob_dependencies import MOST_NETWORKS
from bnviz.ui.knob_widgets import Holder, KnobWidgets
from bnviz.words.joining import sentences
from bnviz.words.texts import texts

# Norms shown side by side; the others are in the expander.
USUAL = tuple(norm for norm, entry in NORMS.items() if entry.usual)


class NormPicker(KnobWidgets[Holder]):
    def draw(self) -> None:
        if not self.shown("norms"):
            return
        config = self.holder.config
        fitting = sum(config.network in entry.networks for entry in NORMS.values())
        of_all = self.words["more_norms"]["chosen"]
        note = tag("small", of_all.format(count=len(config.norms), all=fitting))
        st.html(tag("p", KNOBS["norms"].label, " ", note, class_="bnviz-label"))
        with st.container(key="open_norms"):
            self._segments("knob_norms", USUAL)
        # Draw the container even if it is empty, so that later elements keep their positions.
        with st.container():
            chosen = [norm for norm in config.norms if norm not in USUAL]
            if chosen:
                self._segments(f"other_norms_{'_'.join(chosen)}", chosen)
        if self.shown("more_norms"):
            self._others()

    def _segments(self, name: str, options: Sequence[str]) -> None:
        """Draw buttons of networks side by side, with the compared networks in their colours."""
        norms = self.holder.config.norms
        others = [norm for norm in norms if norm not in options]
        here = [norm for norm in norms if norm in options]
        self.widget(
            st.segmented_control, name, here, lambda chosen: self._compare([*others, *chosen]),
            KNOBS["norms"].label, options, default=here, selection_mode="multi",
            help=KNOBS["norms"].help, format_func=lambda norm: texts("norms")[norm]["choice"],
            width="stretch", label_visibility="collapsed",
        )  # fmt: skip
        self.network_colours(name, options)

    def _compare(self, chosen: Sequence[str]) -> None:
        # Use the registry's order, because colours depend on it.
        self.holder.set_knobs(norms=tuple(norm for norm in NORMS if norm in chosen))

    def _others(self) -> None:
        words = self.words["more_norms"]
        fold = self.fold("more_norms", words["title"])
        if not fold.open:
            return
        with fold, st.container(key="norm_offers"):
            full = len(self.holder.config.norms) >= MOST_NETWORKS
            st.markdown(words["full" if full else "limit"].format(count=MOST_NETWORKS))
            for shelf in get_args(Shelf):
                st.html(tag("h6", words[shelf], class_="bnviz-group"))
                for norm, entry in NORMS.items():
                    if norm not in USUAL and entry.shelf == shelf:
                        self._offer(norm, full=full)

    def _offer(self, norm: str, *, full: bool) -> None:
        """Draw a norm of the expander with its help, or the reason why it cannot be chosen."""
        config, entry = self.holder.config, NORMS[norm]
        chosen, fits = norm in config.norms, config.network in entry.networks
        norms = [other for other in config.norms if other != norm]
        self.widget(
            st.checkbox, f"norm_{norm}", chosen,
            lambda on: self._compare([*norms, norm] if on else norms),
            texts("norms")[norm]["choice"], chosen, disabled=not fits or (full and not chosen),
        )  # fmt: skip
        st.caption(entry.help if fits else self._misfit(norm))

    def _misfit(self, norm: str) -> str:
        labels = [NETWORKS[network].label for network in NORMS[norm].networks]
        words = self.words["more_norms"]
        return sentences((words["only"].format(networks=" / ".join(labels)), NORMS[norm].help))
