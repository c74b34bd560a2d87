"""The widgets of lessons, which draw and compute in the browser, and what each is mounted with.

A widget is a file in `assets/widgets` and a line in `WIDGETS`. Its words are a table of its name in
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
from bnviz.planned_runs.comparison import ComparisonResult, Curve, Value
from bnviz.records import NetworkRecord, Snapshot
from bnviz.ui.chart_templates import network_colours
from bnviz.ui.component import component, drawn_by
from bnviz.ui.query_schema import LONGEST_REASON
from bnviz.words.texts import texts

WIDGETS = (
    "by_hand", "outside_gradient", "cut_network", "ellipse", "gamma_beta", "compose_batch",
    "averages", "shift_outside", "cloud", "shared_mean", "steps_seconds", "own_verdict",
)  # fmt: skip

# The data with which a widget is mounted, for JSON.
WidgetData = dict[str, Any]


def mount_widget(name: str, key: str, data: WidgetData, **acts: Callable[[Any], None]) -> None:
    """Draw a widget.

    Args:
        name: one of `WIDGETS`.
        key: of the component, another one for each widget of a page.
        data: the widget's, such as `by_hand_data` makes.
        **acts: by the name of what the widget tells, called with it, unchecked, before the script
            runs again.
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
    """The colours of networks by "light" and "dark"; see `network_colours`."""
    return {name: network_colours(norms, dark=name == "dark") for name in ("light", "dark")}


# What each widget is mounted with; `start` is what it shows at first.


def by_hand_data(
    mode: Literal["forward", "backward"] = "forward",
    *,
    start: Sequence[float] = POINTS,
    highlight: int | None = None,
    guess: str | None = None,
    task: tuple[int, float] | None = None,
) -> WidgetData:
    """Batch normalization of up to eight values, forward and backward.

    Args:
        mode: "backward" adds gradients at the outputs and the six results of the backward pass.
        start: values at first, and after a reset.
        highlight: index of the image that does not change: it is ringed, and its first x̂ is marked.
        guess: the guess about it, in few words.
        task: index of the point that the reader is asked to move, and its new value.
    """
    # Backward without ε, as on paper.
    eps = 0.0 if mode == "backward" else 1e-5
    gradients = [1.0, *[0.0] * (len(start) - 1)]
    return {
        "mode": mode, "highlight": highlight, "guess": guess,
        "task": task and {"point": task[0], "value": task[1]},
        "start": {"x": list(start), "g": gradients, "gamma": 1, "beta": 0, "eps": eps},
    }  # fmt: skip


def outside_gradient_data(seed: int = 0, *, begun: bool = False) -> WidgetData:
    """A bias before a mean is subtracted, learned by two gradients: the layer of claim E3.

    Args:
        seed: of the layer's numbers.
        begun: whether both runs start without the button.
    """
    layer = {name: array.tolist() for name, array in single_layer(seed)._asdict().items()}
    return {"layer": layer, "steps": STEPS, "rate": RATE, "begun": begun}


def ellipse_data() -> WidgetData:
    """A circle of small changes, and the matrices that make ellipses of it, by their buttons."""
    turn = math.radians(30)
    return {
        "matrices": {
            "layer": [[1.2, 0.4], [0.3, 0.5]],
            "turn": [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]],
            "half_dead": [[1.2, 0.4], [0.0, 0.0]],
        }
    }


def gamma_beta_data(config: RunConfig) -> WidgetData:
    """γ and β behind a nonlinearity: a unit's values in the first mini-batches of a run.

    Args:
        config: of the run, which is a fully connected one.
    """
    start = {"curve": "sigmoid", "gamma": 1, "beta": 0}
    return {"batches": first_batches(config).tolist(), "start": start}


def compose_batch_data() -> WidgetData:
    """What an image's companions do to a prediction; the browser fetches the trained network."""
    return {"network": "compose-batch", "colours": in_both_themes(("none", "batch"))}


def averages_data() -> WidgetData:
    """What a running average is made of, and why its variance is corrected."""
    return {
        **compose_batch_data(), "decays": [0.9, 0.99, 0.999], "sizes": [2, 4, 8, 60],
        "start": {"decay": 1 - MOMENTUM, "steps": ASKED},
    }  # fmt: skip


def shift_outside_data() -> WidgetData:
    """Images of another contrast and brightness than in training, seen by trained networks."""
    return {"network": "shift-outside", "colours": in_both_themes(("none", "batch"))}


def cloud_data() -> WidgetData:
    """Two units over a mini-batch as they are, normalized, and whitened.

    The browser makes its examples of normal values, with these means and standard deviations.
    """
    normals = np.random.default_rng(5).standard_normal((200, 2)).round(4)
    return {
        "normals": normals.tolist(), "units": {"means": (0.6, -0.4), "spreads": (1.1, 0.6)},
        "most": 0.99, "start": {"correlation": 0.8, "examples": 60},
        "colours": in_both_themes(("none", "batch", "zca")),
    }  # fmt: skip


def shared_mean_data(*, examples: int = 2, side: int = 4) -> WidgetData:
    """Which values of a mini-batch a norm takes its mean over.

    Args:
        examples: of the block.
        side: of a feature map, which has side × side places.
    """
    return {"start": {"norm": "units", "examples": examples, "maps": 4, "side": side}}


def own_verdict_data(
    lesson: str, accounts: Mapping[str, tuple[str, str]], *, account: str | None = None,
    because: str = "",
) -> WidgetData:  # fmt: skip
    """One of some accounts, and why, in the reader's own words.

    Args:
        lesson: whose it is; the browser keeps one verdict per lesson.
        accounts: by name, what each is called and what it says, in order.
        account: the name of the one in the address, or None.
        because: the reasons in the address.
    """
    return {
        "lesson": lesson, "most": LONGEST_REASON, "account": account, "because": because,
        "accounts": [[name, *said] for name, said in accounts.items()],
    }  # fmt: skip


def cut_network_data(
    snapshot: Snapshot | None, labels: Mapping[str, str], *, keep: Sequence[int] = KEPT,
    t: int = FROZEN,
) -> WidgetData:  # fmt: skip
    """Lower layers of one step under upper layers of another, in a network of six hidden layers.

    What was chosen in the widget stays chosen when the data change.

    Args:
        snapshot: the newest one; as long as it is None, or has no probe `cut`, the widget waits.
        labels: of the networks, by norm, in order.
        keep: the steps whose weights are kept.
        t: the step of the upper half at first; the lower one has the newest.
    """
    depth, records = 6, snapshot.networks if snapshot is not None else {}
    return {
        "networks": {norm: _halves(records.get(norm)) for norm in labels},
        "labels": dict(labels), "colours": in_both_themes(list(labels)), "depth": depth,
        "cuts": list(range(1, depth)), "keep": list(keep),
        "start": {"network": next(iter(labels)), "cut": CUT, "s": None, "t": t, "random": False},
    }  # fmt: skip


def _halves(record: NetworkRecord | None) -> WidgetData | None:
    """What the probe `cut` measured of a network, for JSON; None before it was measured."""
    found = record.probes.get("cut") if record is not None else None
    if not found:
        return None
    shares = {**found, "passes": found["passes"] / 65535}  # which stands for all values
    return {
        "steps": found["steps"].tolist(), "cuts": found["cuts"].tolist(),
        **{
            name: _rounded(shares[name])
            for name in ("accuracy", "random", "wander", "passes", "edges")
        },
    }  # fmt: skip


def _rounded(array: Any) -> Any:
    """An array as nested lists, with None for values that are not finite.

    Seven digits: more than are shown, so that a number is rounded once.
    """
    if array.ndim:
        return [_rounded(part) for part in array]
    return round(float(array), 7) if np.isfinite(array) else None


def steps_seconds_data(
    result: ComparisonResult, names: Mapping[Value, str], labels: Mapping[str, str],
    run: Value = "",
) -> WidgetData:  # fmt: skip
    """The same measured curves over steps and over seconds, without BN and with BN.

    Args:
        result: of at least one run, in which both networks were trained.
        names: of the runs, by value.
        labels: of the networks, by norm.
        run: the one that is shown at first; the first if there is none of that name.
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
        # A step with BN, in steps without it: as measured, and from where to where it can be set.
        "measured": price, "prices": [min(1.0, price), max(3.0, price)],
        # The accuracies to choose from; the last one is that of the ladder.
        "levels": [*(level for level in (0.8, 0.85, 0.9) if level < until), until],
        "colours": in_both_themes(config.norms),
    }  # fmt: skip


def _seconds_per_step(curves: Sequence[Curve], epoch_share: float) -> float:
    """The mean time of a network's step over its runs; one that stopped took fewer steps.

    Args:
        curves: of the network.
        epoch_share: the part of an epoch that a step is.
    """
    steps = sum(curve.epochs[-1] for curve in curves) / epoch_share if epoch_share else 0.0
    return sum(curve.seconds[-1] for curve in curves) / steps if steps else 0.0


def _curve(curve: Curve) -> dict[str, list[float]]:
    """A curve that crosses an accuracy where the network arrives there."""
    return {
        "steps": [float(step) for step in curve.steps],
        "accuracies": [round(share, 9) for share in smoothed(curve.accuracies)],
    }
