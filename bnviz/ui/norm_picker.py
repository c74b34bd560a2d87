"""The choice of the networks that are compared: usual norms side by side, others in a fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from bnviz.config import KNOBS
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS, Shelf
from bnviz.ui.knob_dependencies import MOST_NETWORKS
from bnviz.ui.knob_widgets import KnobWidgets
from bnviz.words.joining import sentences
from bnviz.words.texts import texts


class NormPicker:
    """The choice of networks in one sidebar."""

    def __init__(self, widgets: KnobWidgets) -> None:
        self._widgets, self._words = widgets, texts(name="norms")
        self._holder = widgets.holder
        self._usual = [norm for norm, entry in NORMS.items() if entry.usual]

    def draw(self) -> None:
        """Draw it, unless the address hides it."""
        widgets = self._widgets
        if not widgets.shown("norms"):
            return
        norms = self._holder.config.norms
        fitting = [norm for norm in NORMS if self._holder.config.network in NORMS[norm].networks]
        of_all = widgets.words["more_norms"]["chosen"]
        widgets.label_row(KNOBS["norms"].label, of_all.format(count=len(norms), all=len(fitting)))
        with st.container(key="open_norms"):
            self._segments("knob_norms", self._usual)
        # A container even when it is empty: what follows keeps its position.
        with st.container():
            chosen = [norm for norm in self._holder.config.norms if norm not in self._usual]
            if chosen:
                self._segments(f"other_norms_{'_'.join(chosen)}", chosen)
        if widgets.shown("more_norms"):
            self._others()

    def _segments(self, name: str, options: Sequence[str]) -> None:
        """Draw networks side by side, the compared ones in their colours."""
        widgets, norms = self._widgets, self._holder.config.norms
        others = [norm for norm in norms if norm not in options]
        here = [norm for norm in norms if norm in options]
        key = widgets.key_for(name, here, _same_norms)
        st.segmented_control(
            KNOBS["norms"].label, options, default=here, key=key, selection_mode="multi",
            help=KNOBS["norms"].help, format_func=lambda norm: self._words[norm]["choice"],
            disabled=not self._holder.can_control, width="stretch", label_visibility="collapsed",
            on_change=widgets.on_change(
                name, key, lambda chosen: self._compare([*others, *chosen])
            ),
        )  # fmt: skip
        widgets.network_colours(name, options)

    def _compare(self, chosen: Sequence[str]) -> None:
        # In the registry's order, on which colours depend.
        self._holder.set_knobs(norms=tuple(norm for norm in NORMS if norm in chosen))

    def _others(self) -> None:
        """Draw the fold with the other norms, if it is open."""
        words = self._widgets.words["more_norms"]
        fold = self._widgets.fold("more_norms", words["title"])
        if not fold.open:
            return
        with fold, st.container(key="norm_offers"):
            full = len(self._holder.config.norms) >= MOST_NETWORKS
            st.markdown(words["full" if full else "limit"].format(count=MOST_NETWORKS))
            for shelf, norms in _shelves().items():
                st.html(f'<h6 class="bnviz-group">{words[shelf]}</h6>')
                for norm in norms:
                    self._offer(norm, full=full)

    def _offer(self, norm: str, *, full: bool) -> None:
        """Draw one of the other norms: its help, or why it cannot be chosen."""
        config, entry = self._holder.config, NORMS[norm]
        chosen, fits = norm in config.norms, config.network in entry.networks
        key = self._widgets.key_for(f"norm_{norm}", chosen)
        norms = [other for other in config.norms if other != norm]
        st.checkbox(
            self._words[norm]["choice"], chosen, key=key,
            disabled=not self._holder.can_control or not fits or (full and not chosen),
            on_change=self._widgets.on_change(
                f"norm_{norm}", key, lambda on: self._compare([*norms, norm] if on else norms)
            ),
        )  # fmt: skip
        st.caption(entry.help if fits else self._misfit(norm))

    def _misfit(self, norm: str) -> str:
        labels = [NETWORKS[network].label for network in NORMS[norm].networks]
        words = self._widgets.words["more_norms"]
        return sentences((words["only"].format(networks=" / ".join(labels)), NORMS[norm].help))


def _shelves() -> dict[str, list[str]]:
    """The norms that are not usual ones, by shelf."""
    shelves: dict[str, list[str]] = {shelf: [] for shelf in get_args(Shelf)}
    for norm, entry in NORMS.items():
        if not entry.usual:
            shelves[entry.shelf].append(norm)
    return shelves


def _same_norms(chosen: Sequence[str], norms: Sequence[str]) -> bool:
    """Whether these are the same networks, in any order."""
    return set(chosen) == set(norms)
