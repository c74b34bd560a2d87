"""Slider values of the knobs, and live knobs, which act on a run while they are dragged.

The script sends the name, range and slider values of a live knob to the browser. The value itself
is exchanged over the run's WebSocket, so setting it does not run the script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from bnviz.actions import ACTIONS, SCALE_WEIGHTS, scalable_layers
from bnviz.config import KNOBS, LIVE_KNOBS, RATE_GROUPS, RunConfig
from bnviz.data import DATASETS
from bnviz.device import choose, this_gpu
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS
from bnviz.planned_runs.started_rates import RUNGS
from bnviz.presets import PRESETS
from bnviz.ui.chart_templates import network_colours
from bnviz.ui.component import component, drawn_by
from bnviz.ui.rate_track import painted_track
from bnviz.ui.tab_run import TabRun
from bnviz.words.texts import texts

LADDERS: dict[str, tuple[float, ...]] = {
    "learning_rate": RUNGS,
    "batch_size": (1, 2, 4, 8, 16, 32, 60, 128, 256, 512, 1024),
    "momentum": (0.0, 0.5, 0.8, 0.9, 0.95, 0.99),
    "weight_decay": (0.0, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0),
    "rate_factors": (0.0, 0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0),
    "width": (2, 4, 8, 16, 32, 64, 100, 128, 256, 512),
    "depth": tuple(range(1, 51)),
    "skip": tuple(range(11)),
    "branch_start": (0.0, 0.1, 0.3, 0.5, 1.0),
    "noise": (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0),
    "init_std": (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    "norm_eps": (0.0, 1e-8, 1e-5, 1e-3, 0.1, 1.0),
    "norm_momentum": (0.01, 0.03, 0.1, 0.3, 1.0),
    "ghost_size": (2, 4, 8, 16, 32, 60, 128, 256, 512, 1024),
    "dropout": (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
    "recurrent_gamma": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
}
# Factors offered for scaling weights, and the default factor.
FACTORS, FACTOR = (0.1, 0.2, 0.5, 2.0, 5.0, 10.0), 10.0
# Number of slider values by which Page Up and Page Down move a live knob: a decade of a learning
# rate, of its factors or of the weight decay, a factor of about four for the batch size, two values
# of the momentum.
PAGE_KEY_RUNGS = {
    "learning_rate": 6, "batch_size": 2, "momentum": 2, "weight_decay": 1, "rate_factors": 2,
}  # fmt: skip


def ladder(name: str, config: RunConfig) -> Sequence[float]:
    """Slider values that a config's network allows for a knob."""
    if name == "norm_groups":
        return [groups for groups in range(1, config.width + 1) if config.width % groups == 0]
    entry = NETWORKS[config.network]
    most = {"depth": entry.max_depth, "width": entry.max_width}.get(name)
    return [rung for rung in LADDERS[name] if most is None or rung <= most]


def format_number(value: float) -> str:
    """Format a number compactly: 0.1, 60, 3e-5."""
    if value and abs(value) < 1e-3:
        digits, _, power = f"{value:.6e}".partition("e")
        return f"{float(digits):g}e{int(power)}"
    return f"{value:g}"


def choice_words() -> dict[str, str]:
    """Labels of all non-numeric knob values, and of "on" and "off"."""
    named = {name: entry.label for name, entry in (NETWORKS | DATASETS).items()}
    return {**named, **texts("lab")["choice"]}


def live_choices(*names: str) -> dict[str, str]:
    """Labels of the choices of the given live knobs, or of all live knobs."""
    words = choice_words()
    choices = (choice for name in names or LIVE_KNOBS for choice in KNOBS[name].choices)
    return {choice: words[choice] for choice in choices}


RESERVED_HEIGHT = (
    "<style>.st-key-{0} {{ min-height: {1}px; }}"
    " @media (pointer: coarse) {{ .st-key-{0} {{ min-height: {2}px; }} }}</style>"
)


class KnobHeights(NamedTuple):
    """Heights in pixels that the sidebar reserves for parts of live knobs until they are drawn.

    Attributes:
        offer: Height of the button that suggests another value.
        own_rates: Height of the switch to one learning rate per network.
    """

    knob: int
    rate: int
    offer: int
    own_rates: int
    action: int
    choice: int
    heading: int = 23
    gap: int = 5


POINTER, FINGER = KnobHeights(44, 54, 35, 26, 52, 50), KnobHeights(68, 68, 49, 46, 76, 68)


def mount_knobs(run: TabRun, names: Sequence[str], key: str, *, heading: str | None = None) -> None:
    """Draw live knobs and action buttons, except those that the address hides.

    Args:
        heading: Key in `lab.toml` of the group's name, or None for no name.
    """
    shown = [name for name in names if name not in run.hidden]
    if not shown:
        return
    heights = (_height(run, shown, heading, each) for each in (POINTER, FINGER))
    st.html(RESERVED_HEIGHT.format(key, *heights))
    _mount(run, key, shown, heading=heading)


def mount_edge(run: TabRun, key: str) -> None:
    """Draw the networks' stability edges as text; their marks are on the slider tracks."""
    _mount(run, key, (), edges=True)


def _mount(
    run: TabRun, key: str, shown: Sequence[str], *, heading: str | None = None, edges: bool = False
) -> None:
    group = texts("lab")["group"]
    component("live_knobs")(
        key=key,
        data={
            "run": run.run_id or None,
            **drawn_by("live_knobs.js"),
            "texts": {
                "knob": texts("live")["knob"],
                "track": texts("live")["track"],
                "action": texts("knobs")[SCALE_WEIGHTS],
                **phrase_texts(),
            },
            "heading": [group[heading], group[f"{heading}_note"]] if heading else None,
            "edges": edges,
            "norms": run.config.norms,
            "labels": network_labels(run),
            "colours": network_colours(run.config.norms, dark=st.context.theme.type == "dark"),
            "can_control": run.can_control,
            "hide": run.hidden,
            "dark": st.context.theme.type == "dark",
            "knobs": knob_data(run, shown),
        },
    )


def phrase_texts() -> dict[str, Any]:
    """Texts of the phrases that the server sends to browsers, by file."""
    return {name: dict(texts(name)) for name in ("errors", "networks", "data")}


def knob_data(run: TabRun, shown: Sequence[str], second: Sequence[str] = ()) -> dict[str, Any]:
    """Data of the live knobs `shown`, and of `second`: knobs of which the visitor can add one."""
    second = [name for name in second if name not in run.hidden]
    defaults = run.query.defaults(run.config)
    return {
        "values": {name: getattr(run.config, name) for name in LIVE_KNOBS},
        "unsaid": {name: defaults[name] for name in LIVE_KNOBS},
        "shown": [name for name in shown if name not in run.hidden],
        "second": second,
        "specs": {name: _spec(run, name, defaults) for name in shown}
        | {name: _spec(run, name, defaults) | _second_spec(run, name) for name in second},
    }


def _second_spec(run: TabRun, name: str) -> dict[str, Any]:
    """Restrict a second slider to batch sizes that are large enough for all compared networks."""
    if name != "batch_size":
        return {}
    fixed = run.config.fixed_statistics
    least = max(NORMS[norm].fewest_examples(fixed_statistics=fixed) for norm in run.config.norms)
    return {"rungs": [rung for rung in LADDERS[name] if rung >= least]}


def _spec(run: TabRun, name: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Data of one live knob; `defaults` are the values that an address omits, by knob."""
    if name in ACTIONS:
        return _action_spec(run)
    knob, suggestion = KNOBS[name], PRESETS[run.query.preset].suggestion
    spec: dict[str, Any] = {
        "label": knob.label, "help": knob.help, "allowed": knob.allowed, "home": defaults[name],
    }  # fmt: skip
    if knob.kind == "choice":
        spec["choices"] = list(live_choices(name).items())
        # Say that changes take effect at once, because other knobs of the group may restart the
        # run.
        spec["note"] = texts("lab")["group"]["live_note"]
    else:
        spec |= {"rungs": LADDERS[name], "page": PAGE_KEY_RUNGS[name]}
    if name == "rate_factors":
        # Each group of parameters has a slider, so an error message is about a single number.
        parts, helps = (texts("knobs")[name][each] for each in ("parts", "part_helps"))
        spec |= {"parts": [{"label": parts[group], "help": helps[group]} for group in RATE_GROUPS],
                 "allowed": replace(knob, kind="float").allowed}  # fmt: skip
    if name in suggestion:
        spec["try"] = suggestion[name]
    if name == "learning_rate":
        spec["homes"] = defaults["learning_rates"]
        spec["painted"] = painted_track(run.config)
        spec["edge"] = run.config.optimizer == "sgd" and "edge" not in run.hidden
    return spec


def _action_spec(run: TabRun) -> dict[str, Any]:
    words = texts("knobs")[SCALE_WEIGHTS]
    return {
        "label": words["label"], "help": words["help"], "action": True, "factors": FACTORS,
        "factor": FACTOR, "layers": scalable_layers(run.config),
    }  # fmt: skip


def network_labels(run: TabRun) -> dict[str, str]:
    words = texts("norms")
    return {norm: words[norm]["network"] for norm in run.config.norms}


def _height(run: TabRun, shown: Sequence[str], heading: str | None, heights: KnobHeights) -> int:
    suggestion = PRESETS[run.query.preset].suggestion
    rows: list[int] = []
    for name in shown:
        if name in ACTIONS:
            rows.append(heights.action)
            continue
        if KNOBS[name].kind == "choice":
            rows.append(heights.choice)
            continue
        rates = name == "learning_rate"
        own = run.config.learning_rates if rates else None
        row = heights.rate if rates else heights.knob
        row += heights.offer if name in suggestion and own is None and run.can_control else 0
        parts = len(RATE_GROUPS) if name == "rate_factors" else 1
        rows += [row] * (parts if own is None else len(own))
        several = len(run.config.norms) > 1 and "learning_rates" not in run.hidden
        rows += [heights.own_rates] if rates and several else []
    return (heights.heading if heading else 0) + sum(rows) + heights.gap * (len(rows) - 1)


def device_reason(run: TabRun) -> str:
    """Reason for the choice of device if `device` is `auto`, otherwise ""."""
    info, gpu = run.info(), this_gpu()
    why = choose(info.initial_config if info else run.config, gpu).why
    if why == "asked":
        return ""
    reason: str = texts("lab")["device"][why]
    return reason.format(gpu="" if gpu is None else gpu.name)
