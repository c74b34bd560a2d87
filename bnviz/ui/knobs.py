"""The rungs of sliders, and numbers as a person writes them.

Mounts the live knobs: controls that act on the run while they are dragged, over its socket.

What they are called, where they stand and what is allowed comes from here; what the run has, they
hear from the run itself. So moving one runs no script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from bnviz.config import KNOBS, LIVE_KNOBS, RunConfig
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS
from bnviz.presets import PRESETS
from bnviz.ui.component import component, drawn_by
from bnviz.ui.tab_run import TabRun
from bnviz.words.texts import texts

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
    "dropout": (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
    "recurrent_gamma": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
}
# Rungs of a live knob that the page keys take at once: a decade of a rate or of the weight decay,
# four times the batch, two rungs of the momentum.
PAGE_KEY_RUNGS: dict[str, int] = {
    "learning_rate": 2,
    "batch_size": 2,
    "momentum": 2,
    "weight_decay": 1,
}


def ladder(name: str, config: RunConfig) -> Sequence[float]:
    """The rungs of a knob that the run's kind of network allows."""
    if name == "norm_groups":
        return [groups for groups in range(1, config.width + 1) if config.width % groups == 0]
    entry = NETWORKS[config.network]
    most = {"depth": entry.max_depth, "width": entry.max_width}.get(name)
    return [rung for rung in LADDERS[name] if most is None or rung <= most]


def number(value: float) -> str:
    """A number as a person writes it: 0.1, 60, 3e-5."""
    if value and abs(value) < 1e-3:
        digits, _, power = f"{value:.6e}".partition("e")
        return f"{float(digits):g}e{int(power)}"
    return f"{value:g}"


RESERVED_HEIGHT = (
    "<style>.st-key-{0} {{ min-height: {1}px; }}"
    " @media (pointer: coarse) {{ .st-key-{0} {{ min-height: {2}px; }} }}</style>"
)


class KnobHeights(NamedTuple):
    """What the parts take in pixels: the sidebar keeps their place free until they are there."""

    knob: int
    offer: int
    own_rates: int
    heading: int = 23
    gap: int = 5


POINTER, FINGER = KnobHeights(44, 35, 26), KnobHeights(68, 49, 46)


def mount_knobs(lab: TabRun, names: Sequence[str], key: str, *, heading: str | None = None) -> None:
    """Draw some live knobs, without those that the address hides.

    Args:
        lab: whose run they move.
        names: of the knobs, in order.
        key: of the component.
        heading: the group's name in `lab.toml`, to stand above them.
    """
    shown = [name for name in names if name not in lab.query.hide]
    if not shown:
        return
    heights = (_height(lab, shown, heading, sizes) for sizes in (POINTER, FINGER))
    st.html(RESERVED_HEIGHT.format(key, *heights))
    _mount(lab, key, shown, heading=heading)


def mount_edge(lab: TabRun, key: str) -> None:
    """Draw the networks' stability edges in words; their marks are on the rates' tracks."""
    _mount(lab, key, (), edges=True)


def _mount(
    lab: TabRun, key: str, shown: Sequence[str], *, heading: str | None = None, edges: bool = False
) -> None:
    group = texts(name="lab")["group"]
    component("live_knobs")(
        key=key,
        data={
            "run": lab.run_id or None,
            **drawn_by("live_knobs.js"),
            "texts": {"knob": texts("live")["knob"], **phrase_texts()},
            "heading": [group[heading], group[f"{heading}_note"]] if heading else None,
            "edges": edges,
            "norms": list(lab.config.norms),
            "labels": network_labels(lab),
            "can_control": lab.can_control,
            "hide": list(lab.query.hide),
            "dark": st.context.theme.type == "dark",
            "knobs": knob_data(lab, shown),
        },
    )


def phrase_texts() -> dict[str, Any]:
    """The words of phrases that the server may say to a browser, by file."""
    return {name: dict(texts(name)) for name in ("errors", "networks", "data")}


def knob_data(lab: TabRun, shown: Sequence[str], second: Sequence[str] = ()) -> dict[str, Any]:
    """What a browser needs to know of the live knobs.

    Args:
        lab: whose run they move.
        shown: those that stand in this place.
        second: those of which one may stand beside them.
    """
    second = [name for name in second if name not in lab.query.hide]
    unsaid = lab.query.defaults(lab.config)
    return {
        "values": {name: getattr(lab.config, name) for name in LIVE_KNOBS},
        "unsaid": {name: unsaid[name] for name in LIVE_KNOBS},
        "shown": [name for name in shown if name not in lab.query.hide],
        "second": second,
        "specs": {name: _spec(lab, name, unsaid) for name in shown}
        | {name: _spec(lab, name, unsaid) | _beside(lab, name) for name in second},
    }


def _beside(lab: TabRun, name: str) -> dict[str, Any]:
    """What is otherwise in a second slider: no mini-batch on it is too small for a network."""
    if name != "batch_size":
        return {}
    least = max(NORMS[norm].minimum_batch for norm in lab.config.norms)
    return {"rungs": [rung for rung in LADDERS[name] if rung >= least]}


def _spec(lab: TabRun, name: str, home: Mapping[str, Any]) -> dict[str, Any]:
    knob, suggestion = KNOBS[name], PRESETS[lab.query.preset].suggestion
    spec: dict[str, Any] = {
        "label": knob.label, "help": knob.help, "allowed": knob.allowed,
        "rungs": list(LADDERS[name]), "page": PAGE_KEY_RUNGS[name], "home": home[name],
    }  # fmt: skip
    if name in suggestion:
        spec["try"] = suggestion[name]
    if name == "learning_rate":
        spec["homes"] = home["learning_rates"]
        spec["edge"] = _edges(lab)
    return spec


def _edges(lab: TabRun) -> bool:
    """Whether the rate shows the networks' stability edges."""
    return lab.config.optimizer == "sgd" and "edge" not in lab.query.hide


def network_labels(lab: TabRun) -> dict[str, str]:
    """What the networks are called."""
    words = texts(name="norms")
    return {norm: words[norm]["network"] for norm in lab.config.norms}


def _height(lab: TabRun, shown: Sequence[str], heading: str | None, sizes: KnobHeights) -> int:
    """Pixels that the knobs will take."""
    suggestion = PRESETS[lab.query.preset].suggestion
    rows: list[int] = []
    for name in shown:
        rates = name == "learning_rate"
        own = lab.config.learning_rates if rates else None
        row = sizes.knob
        row += sizes.offer if name in suggestion and own is None and lab.can_control else 0
        rows += [row] * (1 if own is None else len(own))
        several = len(lab.config.norms) > 1 and "learning_rates" not in lab.query.hide
        rows += [sizes.own_rates] if rates and several else []
    return (sizes.heading if heading else 0) + sum(rows) + sizes.gap * (len(rows) - 1)
