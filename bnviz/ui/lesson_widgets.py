"""Interactive widgets of lessons, which draw and compute in the browser, and their data.

A widget is a file in `assets/widgets`, an entry in `WIDGETS`, and a table of texts with its name in
`assets/texts/<language>/widgets.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import streamlit as st

from bnviz.claims.single_layer import RATE, STEPS, single_layer
from bnviz.config import RunConfig
from bnviz.lessons.first_batches import first_batches
from bnviz.lessons.four_numbers import POINTS
from bnviz.lessons.moving_targets import CUT, FROZEN, KEPT
from bnviz.lessons.two_modes import ASKED, MOMENTUM
from bnviz.planned_runs.arrival import smoothed
from bnviz.planned_runs.comparison import ComparisonResult, Curve, VariedValue
from bnviz.records import NetworkRecord, Snapshot
from bnviz.ui.chart_templates import network_colours
from bnviz.ui.component import component, drawn_by
from bnviz.ui.query_schema import LONGEST_REASON
from bnviz.words.texts import texts

WIDGETS = (
    "by_hand", "outside_gradient", "cut_network", "ellipse", "gamma_beta", "compose_batch",
    "averages", "shift_outside", "cloud", "shared_mean", "steps_seconds", "own_verdict",
)  # fmt: skip

# JSON data that a widget is mounted with.
WidgetData = dict[str, Any]


def mount_widget(name: str, key: str, data: WidgetData, **acts: Callable[[Any], None]) -> None:
    """Mount a widget under a key that is unique on the page.

    `acts` are callbacks by event name. They receive the unchecked value before the script runs
    again.
    """

    def calling(told: str, act: Callable[[Any], None]) -> Callable[[], None]:
        return lambda: act(getattr(st.session_state[key], told))

    words = texts("widgets")
    component(name)(
        key=key,
        data={
            **data, **drawn_by(module_of(name)), "dark": st.context.theme.type == "dark",
            "texts": {**words[name], "common": words["common"]},
        },
        **{f"on_{told}_change": calling(told, act) for told, act in acts.items()},
    )  # fmt: skip


def module_of(name: str) -> str:
    return f"widgets/{name}.js"


def in_both_themes(norms: Sequence[str]) -> dict[str, dict[str, dict[str, str]]]:
    """Colours of networks for "light" and "dark", as from `network_colours`."""
    return {name: network_colours(norms, dark=name == "dark") for name in ("light", "dark")}


# Data of each widget; `start` is its initial state.


def by_hand_data(
    mode: Literal["forward", "backward"] = "forward",
    *,
    start: Sequence[float] = POINTS,
    highlight: int | None = None,
    guess: str | None = None,
    task: tuple[int, float] | None = None,
) -> WidgetData:
    """Data for batch normalization of up to eight values by hand, forward and backward.

    Args:
        mode: "backward" adds output gradients and the six results of the backward pass.
        highlight: Index of the image that stays fixed. It is ringed, and its first x̂ is marked.
        guess: Short text of the reader's guess about the highlighted image.
        task: Index and new value of the point that the reader is asked to move.
    """
    # The backward pass uses ε = 0, as a calculation on paper does.
    eps = 0.0 if mode == "backward" else 1e-5
    gradients = [1.0, *[0.0] * (len(start) - 1)]
    return {
        "mode": mode, "highlight": highlight, "guess": guess,
        "task": task and {"point": task[0], "value": task[1]},
        "start": {"x": list(start), "g": gradients, "gamma": 1, "beta": 0, "eps": eps},
    }  # fmt: skip


def outside_gradient_data(seed: int = 0, *, begun: bool = False) -> WidgetData:
    """Data of the widget that trains a bias before a mean subtraction with two gradients (E3)."""
    layer = {name: array.tolist() for name, array in single_layer(seed)._asdict().items()}
    return {"layer": layer, "steps": STEPS, "rate": RATE, "begun": begun}


def ellipse_data() -> WidgetData:
    """Data of the widget in which matrices map a circle of small changes to ellipses."""
    turn = math.radians(30)
    return {
        "matrices": {
            "layer": [[1.2, 0.4], [0.3, 0.5]],
            "turn": [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]],
            "half_dead": [[1.2, 0.4], [0.0, 0.0]],
        }
    }


def gamma_beta_data(config: RunConfig) -> WidgetData:
    """Data of the widget on γ and β before a nonlinearity: a unit's values in a run's first
    mini-batches.

    The run must train a fully connected network.
    """
    start = {"curve": "sigmoid", "gamma": 1, "beta": 0}
    return {"batches": first_batches(config).tolist(), "start": start}


def compose_batch_data() -> WidgetData:
    """Data of the widget for composing a mini-batch; the browser fetches the network itself."""
    return {"network": "compose-batch", "colours": in_both_themes(("none", "batch"))}


def averages_data() -> WidgetData:
    """Data of the widget on the terms of a running average and its variance correction."""
    return {
        **compose_batch_data(), "decays": [0.9, 0.99, 0.999], "sizes": [2, 4, 8, 60],
        "start": {"decay": 1 - MOMENTUM, "steps": ASKED},
    }  # fmt: skip


def shift_outside_data() -> WidgetData:
    """Data of the widget that tests trained networks at changed contrast and brightness."""
    return {"network": "shift-outside", "colours": in_both_themes(("none", "batch"))}


def cloud_data() -> WidgetData:
    """Data of the widget on two units over a mini-batch: unchanged, normalized and whitened.

    `normals` are standard normal values, which the browser scales with the units' statistics.
    """
    normals = np.random.default_rng(5).standard_normal((200, 2)).round(4)
    return {
        "normals": normals.tolist(), "units": {"means": (0.6, -0.4), "spreads": (1.1, 0.6)},
        "most": 0.99, "start": {"correlation": 0.8, "examples": 60},
        "colours": in_both_themes(("none", "batch", "zca")),
    }  # fmt: skip


def shared_mean_data(*, examples: int = 2, side: int = 4) -> WidgetData:
    """Data of the widget that shows which values of a mini-batch a norm averages over."""
    return {"start": {"norm": "units", "examples": examples, "maps": 4, "side": side}}


def own_verdict_data(
    lesson: str, accounts: Mapping[str, tuple[str, str]], *, account: str | None = None,
    because: str = "",
) -> WidgetData:  # fmt: skip
    """Data for the reader's own verdict: one of several accounts, and the reasons.

    Args:
        lesson: Name of the lesson; the browser keeps one verdict per lesson.
        accounts: Title and text of each account by name, in order.
        account: Name of the account in the address, or None.
        because: Reasons in the address.
    """
    return {
        "lesson": lesson, "most": LONGEST_REASON, "account": account, "because": because,
        "accounts": [[name, *said] for name, said in accounts.items()],
    }  # fmt: skip


def cut_network_data(
    snapshot: Snapshot | None, labels: Mapping[str, str], *, keep: Sequence[int] = KEPT,
    t: int = FROZEN,
) -> WidgetData:  # fmt: skip
    """Data for joining the lower layers of one step with the upper layers of another step.

    The network has six hidden layers. The reader's choices in the widget survive new data.

    Args:
        snapshot: Newest snapshot. The widget waits while it is None or lacks the probe `cut`.
        keep: Steps whose weights are kept.
        t: Initial step of the upper layers; the lower layers start with the newest step.
    """
    depth, records = 6, snapshot.networks if snapshot is not None else {}
    return {
        "networks": {norm: _halves(records.get(norm)) for norm in labels},
        "labels": dict(labels), "colours": in_both_themes(list(labels)), "depth": depth,
        "cuts": list(range(1, depth)), "keep": list(keep),
        "start": {"network": next(iter(labels)), "cut": CUT, "s": None, "t": t, "random": False},
    }  # fmt: skip


def _halves(record: NetworkRecord | None) -> WidgetData | None:
    """Results of the probe `cut` as JSON data, or None before it has run."""
    found = record.probes.get("cut") if record is not None else None
    if not found:
        return None
    shares = {**found, "passes": found["passes"] / 65535}  # 65535 means all values
    return {
        "steps": found["steps"].tolist(), "cuts": found["cuts"].tolist(),
        **{
            name: _rounded(shares[name])
            for name in ("accuracy", "random", "wander", "passes", "edges")
        },
    }  # fmt: skip


def _rounded(array: Any) -> Any:
    """Convert an array to nested lists with None for non-finite values. Seven decimals are more
    than the widget shows, so that only the widget's own rounding is visible.
    """
    if array.ndim:
        return [_rounded(part) for part in array]
    return round(float(array), 7) if np.isfinite(array) else None


def steps_seconds_data(
    result: ComparisonResult, names: Mapping[VariedValue, str], labels: Mapping[str, str],
    run: VariedValue = "",
) -> WidgetData:  # fmt: skip
    """Data of the widget that shows curves over steps and over seconds, without and with BN.

    Args:
        names: Names of the runs by value.
        run: Value of the run shown first; if there is no such run, the first run is shown.
    """
    config, until = result.comparison.first, result.comparison.target_accuracy or 1.0
    curves = {norm: [each.curves[norm] for each in result.members] for norm in ("none", "batch")}
    every = [curve for each in result.members for curve in each.curves.values() if curve.steps[-1]]
    epoch_share = max((curve.epochs[-1] / curve.steps[-1] for curve in every), default=0.0)
    plain, with_bn = (_seconds_per_step(found, epoch_share) for found in curves.values())
    price = with_bn / plain if plain > 0 else 1.0
    return {
        "runs": [
            {
                "key": str(each.value),
                "label": names.get(each.value, str(each.value)),
                "curves": {norm: _curve(each.curves[norm]) for norm in curves},
            }
            for each in result.members
        ],
        "labels": dict(labels), "start": str(run), "batch": config.batch_size,
        "epoch": 1 / epoch_share if epoch_share else 0, "second": plain,
        # Duration of a step with BN relative to a step without BN: the measured ratio and the range
        # of its slider.
        "measured": price, "prices": [min(1.0, price), max(3.0, price)],
        # Accuracies to choose from; the last one is the comparison's target.
        "levels": [*(level for level in (0.8, 0.85, 0.9) if level < until), until],
        "colours": in_both_themes(config.norms),
    }  # fmt: skip


def _seconds_per_step(curves: Sequence[Curve], epoch_share: float) -> float:
    """Mean duration of a network's steps in seconds; `epoch_share` is 1 ÷ steps per epoch."""
    steps = sum(curve.epochs[-1] for curve in curves) / epoch_share if epoch_share else 0.0
    return sum(curve.seconds[-1] for curve in curves) / steps if steps else 0.0


def _curve(curve: Curve) -> dict[str, list[float]]:
    """Smoothed curve, as used to measure the step at which a network reaches an accuracy."""
    return {
        "steps": [float(step) for step in curve.steps],
        "accuracies": [round(share, 9) for share in smoothed(curve.accuracies)],
    }
