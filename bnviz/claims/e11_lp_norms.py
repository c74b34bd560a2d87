"""E11: divided by other averages than the standard deviation (Santurkar et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnviz.claims.e11_squares import STATEMENTS as SQUARES
from bnviz.claims.e11_squares import measure as measure_squares
from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import Claim, Comparator, Statement, Watch, at_least, at_most, between
from bnviz.config import RunConfig
from bnviz.records import NetworkRecord

NORMS = ("none", "batch", "l1", "linf")
# Rows of the drift probe.
BEFORE, AFTER = 0, 1

STEPS, STILL_STEPS = 600, 100
KNOBS: dict[str, Any] = {"norms": NORMS}
SIGMOID_KNOBS: dict[str, Any] = {**KNOBS, "depth": 3, "activation": "sigmoid"}
STILL_KNOBS: dict[str, Any] = {
    **KNOBS, "depth": 13, "activation": "sigmoid", "learning_rate": 0.01,
}  # fmt: skip
SETTING = f"tanh 6×100, rate 0.1, step {STEPS}"
SIGMOID = f"sigmoid 3×100, rate 0.1, step {STEPS}"
STILL = f"sigmoid 13×100, rate 0.01, step {STILL_STEPS}"
WATCH, WATCH_SIGMOID = (Watch(knobs, ("drift",), STEPS) for knobs in (KNOBS, SIGMOID_KNOBS))
WATCH_STILL = Watch(STILL_KNOBS, ("drift",), STILL_STEPS)
SHIFT = "W₁ ÷ σ between step 0 and now, mean of the layers"
SHIFTS_MORE = f"{SHIFT}, of what the nonlinearity gets, ÷ the same of the plain network"
THAN_BATCH = "÷ the same with BN"
PAPER, FOUND = "Santurkar et al. 2018", "found here"
BATCH = Comparator("batch-learns", "the network with BN")
PLAIN = Comparator("plain-learns", "the plain network")
PLAIN_SIGMOID = Comparator("plain-learns-sigmoid", "the plain network")
PLAIN_STILL = Comparator("plain-learns-still", "the plain network")


def _interim(found: str) -> str:
    """What a row says whose window was another one for a time."""
    return f"The step, {STEPS} as first declared, was 300 for a time: {found}."


STATEMENTS = (
    Statement(
        key="l1",
        text="Divided by the mean absolute value, a network trains about as well as with BN.",
        setting=SETTING,
        quantity="accuracy, less that of BN",
        expected=between(-0.02, 0.02),
        source=PAPER,
        difference=True,
        comparator=BATCH,
        changed=_interim("−0.28 points (−0.56 to 0.28)"),
        watch=WATCH,
    ),
    Statement(
        key="linf",
        text="Divided by the largest absolute value, a network trains about as well as with BN.",
        setting=SETTING,
        quantity="accuracy, less that of BN",
        expected=between(-0.02, 0.02),
        source=PAPER,
        difference=True,
        comparator=BATCH,
        changed=_interim("−1.39 points (−1.67 to −0.56)"),
        watch=WATCH,
    ),
    Statement(
        key="l1-shift",
        text="Under the mean absolute value distributions shift more than in the plain network.",
        setting=SETTING,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=PAPER,
        comparator=PLAIN,
        changed=_interim("0.0568 (0.0499 to 0.0618)"),
        watch=WATCH,
    ),
    Statement(
        key="l1-shift-after",
        text="After a norm by the mean absolute value distributions shift less than with BN.",
        setting=SETTING,
        quantity=f"{SHIFT}, of what the nonlinearity gets, {THAN_BATCH}",
        expected=at_most(1),
        source=FOUND,
        instead_of="l1-shift",
        comparator=BATCH,
        changed=_interim("0.877 (0.860 to 0.885) on the seeds 0 to 4"),
        watch=WATCH,
    ),
    Statement(
        key="l1-shift-batch",
        text="Before a norm by the mean absolute value distributions shift more than before BN.",
        setting=SETTING,
        quantity=f"{SHIFT}, of W h, {THAN_BATCH}",
        expected=at_least(1),
        source=FOUND,
        instead_of="l1-shift",
        comparator=BATCH,
        changed=_interim("1.03 (1.02 to 1.04) on the seeds 0 to 4"),
        watch=WATCH,
    ),
    Statement(
        key="l1-shift-sigmoid",
        text="Under the mean absolute value distributions shift less than in a plain sigmoid "
        "network that learns slowly.",
        setting=SIGMOID,
        quantity=SHIFTS_MORE,
        expected=at_most(1),
        source=FOUND,
        part="sigmoid",
        instead_of="l1-shift",
        comparator=PLAIN_SIGMOID,
        watch=WATCH_SIGMOID,
    ),
    Statement(
        key="l1-shift-still",
        text="Under the mean absolute value distributions shift more than in a deep plain sigmoid "
        "network.",
        setting=STILL,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=FOUND,
        part="still",
        instead_of="l1-shift",
        comparator=PLAIN_STILL,
        watch=WATCH_STILL,
    ),
    Statement(
        key="still-learns",
        text="With BN, or divided by the mean or the largest absolute value, a deep sigmoid "
        "network gets at least half of the digits right.",
        setting=STILL,
        quantity="lowest accuracy of the three",
        expected=at_least(0.5),
        source=FOUND,
        part="still",
        watch=WATCH_STILL,
    ),
    Statement(
        key="linf-shift",
        text="Under the largest absolute value distributions shift more than in the plain network.",
        lead="With the largest absolute value in place of σ, distributions shift more than in a "
        "plain tanh network.",
        setting=SETTING,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=PAPER,
        comparator=PLAIN,
        changed=_interim("0.230 (0.207 to 0.237)"),
        watch=WATCH,
    ),
    Statement(
        key="linf-shift-batch",
        text="Under the largest absolute value distributions shift at least twice as far as with "
        "BN.",
        setting=SETTING,
        quantity=f"{SHIFT}, of what the nonlinearity gets, {THAN_BATCH}",
        expected=at_least(2),
        source=FOUND,
        instead_of="linf-shift",
        comparator=BATCH,
        changed=_interim("3.46 (3.19 to 3.75) on the seeds 0 to 4"),
        watch=WATCH,
    ),
    Statement(
        key="linf-shift-sigmoid",
        text="Under the largest absolute value distributions shift more than in a plain sigmoid "
        "network that learns slowly.",
        setting=SIGMOID,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=FOUND,
        part="sigmoid",
        instead_of="linf-shift",
        comparator=PLAIN_SIGMOID,
        changed="Stated before of step 300, where the plain network is near chance: 2.57 (2.03 to "
        "2.97) on the seeds 0 to 4.",
        watch=WATCH_SIGMOID,
    ),
    Statement(
        key="linf-shift-still",
        text="Under the largest absolute value distributions shift more than in a deep plain "
        "sigmoid network.",
        setting=STILL,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=FOUND,
        part="still",
        instead_of="linf-shift",
        comparator=PLAIN_STILL,
        watch=WATCH_STILL,
    ),
    *SQUARES,
    Statement(
        key="l2-shift",
        text="Under p = 2, which is BN, distributions shift more than in the plain network.",
        setting=SETTING,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=PAPER,
        comparator=PLAIN,
        changed=_interim("0.0649 (0.0569 to 0.0699)"),
        watch=WATCH,
    ),
    Statement(
        key="l2-shift-sigmoid",
        text="Under p = 2, which is BN, distributions shift less than in a plain sigmoid network "
        "that learns slowly.",
        setting=SIGMOID,
        quantity=SHIFTS_MORE,
        expected=at_most(1),
        source=FOUND,
        part="sigmoid",
        instead_of="l2-shift",
        comparator=PLAIN_SIGMOID,
        watch=WATCH_SIGMOID,
    ),
    Statement(
        key="l2-shift-still",
        text="Under p = 2, which is BN, distributions shift more than in a deep plain sigmoid "
        "network.",
        setting=STILL,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=FOUND,
        part="still",
        instead_of="l2-shift",
        comparator=PLAIN_STILL,
        watch=WATCH_STILL,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement of the tanh networks and of p = 2."""
    end = _end(seed, KNOBS, STEPS)
    reached = {norm: accuracy(record) for norm, record in end.items()}
    before, after = _shifts(end, BEFORE), _shifts(end, AFTER)
    return {
        "l1": reached["l1"] - reached["batch"],
        "linf": reached["linf"] - reached["batch"],
        "l1-shift": after["l1"] / after["none"],
        "l1-shift-after": after["l1"] / after["batch"],
        "l1-shift-batch": before["l1"] / before["batch"],
        "linf-shift": after["linf"] / after["none"],
        "linf-shift-batch": after["linf"] / after["batch"],
        "l2-shift": after["batch"] / after["none"],
        BATCH.key: reached["batch"],
        PLAIN.key: reached["none"],
        **measure_squares(seed),
    }


def measure_sigmoid(seed: int) -> dict[str, float]:
    """Sigmoid networks of which the plain one learns too."""
    return _against_plain(_end(seed, SIGMOID_KNOBS, STEPS), "sigmoid")


def measure_still(seed: int) -> dict[str, float]:
    """Deep sigmoid networks, of which the plain one does not learn."""
    end = _end(seed, STILL_KNOBS, STILL_STEPS)
    lowest = min(accuracy(end[norm]) for norm in NORMS[1:])
    return {**_against_plain(end, "still"), "still-learns": lowest}


def _end(seed: int, knobs: Mapping[str, Any], steps: int) -> dict[str, NetworkRecord]:
    return play(RunConfig(**knobs, seed=seed), (0, steps), ("drift",))[-1].networks


def _against_plain(end: Mapping[str, NetworkRecord], setting: str) -> dict[str, float]:
    """`SHIFTS_MORE` of each norm; BN stands for p = 2."""
    after = _shifts(end, AFTER)
    return {
        f"l1-shift-{setting}": after["l1"] / after["none"],
        f"linf-shift-{setting}": after["linf"] / after["none"],
        f"l2-shift-{setting}": after["batch"] / after["none"],
        f"plain-learns-{setting}": accuracy(end["none"]),
    }


def _shifts(end: Mapping[str, NetworkRecord], row: int) -> dict[str, float]:
    """W₁ ÷ σ since step 0 of each network, mean of the layers."""
    return {
        norm: float(record.probes["drift"]["w1_start"][row].mean()) for norm, record in end.items()
    }


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="How the paper fixes the mean can be read in two ways. Here values are centred, then "
    "divided; read so, p = 2 is BN. That a tanh network "
    "trains about as well as with BN says little of a norm: so does the plain one (E12).",
    parts={"sigmoid": measure_sigmoid, "still": measure_still},
)
