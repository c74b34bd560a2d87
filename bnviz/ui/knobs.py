"""Mounts the live knobs: controls that act on the run while they are dragged, over its socket.

What they are called, where they stand and what is allowed comes from here; what the run has, they
hear from the run itself. So moving one runs no script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from bnviz.config import KNOBS, LIVE_KNOBS
from bnviz.norms import NORMS
from bnviz.presets import PRESETS
from bnviz.texts import texts
from bnviz.ui.component import component, drawn_by
from bnviz.ui.lab import Lab
from bnviz.ui.ladders import LADDERS, PAGES

PLACE = (
    "<style>.st-key-{0} {{ min-height: {1}px; }}"
    " @media (pointer: coarse) {{ .st-key-{0} {{ min-height: {2}px; }} }}</style>"
)


class Sizes(NamedTuple):
    """What the parts take in pixels: the sidebar keeps their place free until they are there."""

    knob: int
    offer: int
    own_rates: int
    heading: int = 23
    gap: int = 5


POINTER, FINGER = Sizes(44, 35, 26), Sizes(68, 49, 46)


def mount_knobs(lab: Lab, names: Sequence[str], key: str, *, heading: str | None = None) -> None:
    """Draw some live knobs, without those that the address hides.

    Args:
        lab: whose run they move.
        names: of the knobs, in order.
        key: of the component.
        heading: the group's name in `lab.toml`, to stand above them.
    """
    shown = [name for name in names if name not in lab.page.hide]
    if not shown:
        return
    heights = (_height(lab, shown, heading, sizes) for sizes in (POINTER, FINGER))
    st.html(PLACE.format(key, *heights))
    _mount(lab, key, shown, heading=heading)


def mount_edge(lab: Lab, key: str) -> None:
    """Draw the networks' stability edges in words; their marks are on the rates' tracks."""
    _mount(lab, key, (), edges=True)


def _mount(
    lab: Lab, key: str, shown: Sequence[str], *, heading: str | None = None, edges: bool = False
) -> None:
    group = texts(name="lab")["group"]
    component("live_knobs")(
        key=key,
        data={
            "run": lab.run or None,
            **drawn_by("live_knobs.js"),
            "texts": {"knob": texts("live")["knob"], **phrase_texts()},
            "heading": [group[heading], group[f"{heading}_note"]] if heading else None,
            "edges": edges,
            "norms": list(lab.config.norms),
            "labels": network_labels(lab),
            "can_control": lab.can_control,
            "hide": list(lab.page.hide),
            "dark": st.context.theme.type == "dark",
            "knobs": knob_data(lab, shown),
        },
    )


def phrase_texts() -> dict[str, Any]:
    """The words of phrases that the server may say to a browser, by file."""
    return {name: dict(texts(name)) for name in ("errors", "networks", "data")}


def knob_data(lab: Lab, shown: Sequence[str], second: Sequence[str] = ()) -> dict[str, Any]:
    """What a browser needs to know of the live knobs.

    Args:
        lab: whose run they move.
        shown: those that stand in this place.
        second: those of which one may stand beside them.
    """
    second = [name for name in second if name not in lab.page.hide]
    unsaid = lab.page.unsaid(lab.config)
    return {
        "values": {name: getattr(lab.config, name) for name in LIVE_KNOBS},
        "unsaid": {name: unsaid[name] for name in LIVE_KNOBS},
        "shown": [name for name in shown if name not in lab.page.hide],
        "second": second,
        "specs": {name: _spec(lab, name, unsaid) for name in shown}
        | {name: _spec(lab, name, unsaid) | _beside(lab, name) for name in second},
    }


def _beside(lab: Lab, name: str) -> dict[str, Any]:
    """What is otherwise in a second slider: no mini-batch on it is too small for a network."""
    if name != "batch_size":
        return {}
    least = max(NORMS[norm].minimum_batch for norm in lab.config.norms)
    return {"rungs": [rung for rung in LADDERS[name] if rung >= least]}


def _spec(lab: Lab, name: str, home: Mapping[str, Any]) -> dict[str, Any]:
    knob, suggestion = KNOBS[name], PRESETS[lab.page.preset].suggestion
    spec: dict[str, Any] = {
        "label": knob.label, "help": knob.help, "allowed": knob.allowed,
        "rungs": list(LADDERS[name]), "page": PAGES[name], "home": home[name],
    }  # fmt: skip
    if name in suggestion:
        spec["try"] = suggestion[name]
    if name == "learning_rate":
        spec["homes"] = home["learning_rates"]
        spec["edge"] = _edges(lab)
    return spec


def _edges(lab: Lab) -> bool:
    """Whether the rate shows the networks' stability edges."""
    return lab.config.optimizer == "sgd" and "edge" not in lab.page.hide


def network_labels(lab: Lab) -> dict[str, str]:
    """What the networks are called."""
    words = texts(name="norms")
    return {norm: words[norm]["network"] for norm in lab.config.norms}


def _height(lab: Lab, shown: Sequence[str], heading: str | None, sizes: Sizes) -> int:
    """Pixels that the knobs will take."""
    suggestion = PRESETS[lab.page.preset].suggestion
    rows: list[int] = []
    for name in shown:
        rates = name == "learning_rate"
        own = lab.config.learning_rates if rates else None
        row = sizes.knob
        row += sizes.offer if name in suggestion and own is None and lab.can_control else 0
        rows += [row] * (1 if own is None else len(own))
        several = len(lab.config.norms) > 1 and "learning_rates" not in lab.page.hide
        rows += [sizes.own_rates] if rates and several else []
    return (sizes.heading if heading else 0) + sum(rows) + sizes.gap * (len(rows) - 1)
