"""E12: the largest learning rate that still works (Bjorck et al. 2018)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import Claim, Comparator, Statement, Watch, at_most, between
from bnviz.config import RunConfig

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
# Where one of those works and the next one does not, rates between them are a tenth of a decade
# apart.
FINE_STEP = 10**0.1
STEPS = 600
WORKS = 0.9
PLAIN_RATES, BATCH_RATES = (0.03, 0.1, 0.3), (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

RELU_KNOBS: dict[str, Any] = {"depth": 3, "activation": "relu", "learning_rate": 1.0}
HE_KNOBS: dict[str, Any] = {**RELU_KNOBS, "init": "he"}
RELU = f"ReLU 3×100, rate 1, step {STEPS}"
TANH = f"tanh 6×100, step {STEPS}"
LADDER = f"{TANH}, rates 0.01, 0.03, 0.1, 0.3, 1, 3, 10"
EARLIER, FOUND = "earlier run", "found here"


def _at(rate: float) -> Watch:
    """The lab with both tanh networks at a rate."""
    return Watch({"learning_rate": rate}, step=STEPS)


STATEMENTS = (
    Statement(
        key="relu-none",
        text="At rate 1 a plain ReLU network fails.",
        setting=RELU,
        quantity="accuracy",
        expected=at_most(0.5),
        source=EARLIER,
        watch=Watch(RELU_KNOBS, step=STEPS),
    ),
    Statement(
        key="relu-none-he",
        text="A plain ReLU network fails at rate 1 from He’s initial weights, which are larger "
        "than Glorot’s.",
        setting=f"{RELU}, He",
        quantity="accuracy",
        expected=at_most(0.5),
        source=FOUND,
        part="he",
        instead_of="relu-none",
        watch=Watch(HE_KNOBS, step=STEPS),
    ),
    Statement(
        key="relu-batch-he",
        text="A ReLU network with BN learns at rate 1 from He’s initial weights.",
        setting=f"{RELU}, He",
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source=FOUND,
        part="he",
        watch=Watch(HE_KNOBS, step=STEPS),
    ),
    Statement(
        key="relu-batch",
        text="At rate 1 a ReLU network with BN learns.",
        setting=RELU,
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source=EARLIER,
        watch=Watch(RELU_KNOBS, step=STEPS),
    ),
    Statement(
        key="tanh-none-low",
        text="The plain tanh network trains well at every rate from 0.03 to 0.3: the worst.",
        setting=TANH,
        quantity="lowest accuracy of these rates",
        expected=between(0.96, 0.98),
        source=EARLIER,
        watch=_at(0.3),
    ),
    Statement(
        key="tanh-batch-low",
        text="With BN the tanh network trains well at every rate from 0.01 to 3: the worst.",
        setting=TANH,
        quantity="lowest accuracy of these rates",
        expected=between(0.95, 0.98),
        source=EARLIER,
        watch=_at(3.0),
    ),
    Statement(
        key="fail",
        text="At rate 10 both tanh networks fail.",
        setting=TANH,
        quantity="higher accuracy of the two",
        expected=at_most(0.5),
        source=EARLIER,
        watch=_at(10.0),
    ),
    Statement(
        key="wider",
        text="The largest rate that works is “about ten times” as high with BN as without it: from "
        "half to twice that.",
        lead="With BN the largest rate at which six tanh layers learn is several times as high "
        "(step 600).",
        setting=f"{LADDER}; above the largest that works in tenths of a decade until one fails; "
        f"works: accuracy of at least {WORKS:g}",
        quantity="largest rate that works, BN ÷ plain",
        expected=between(5, 20),
        source=EARLIER,
        changed="Worded first as “BN widens the usable range upwards about tenfold”, and declared "
        "on the ladder 0.01, 0.03, …, 10 alone as 3 to 30, which of the ratios 1, 3.3, 10 and 33 "
        "that were possible two meet: 10.0 in every seed. The ladder is now finer at both ends and "
        "the bounds are half and twice tenfold.",
        watch=_at(1.0),
    ),
    Statement(
        key="no-better",
        text="BN hardly changes the accuracy: each at its best rate, the two networks are within "
        "2 points.",
        lead="Each at its best rate, BN and the plain network are within 2 points of each other "
        "(tanh 6×100, step 600).",
        setting=f"{LADDER}; best rate chosen on the test images",
        quantity="best accuracy, BN less plain",
        expected=between(-0.02, 0.02),
        source=EARLIER,
        difference=True,
        comparator=Comparator("plain-best", "the plain network"),
        changed="Worded first as “it does not raise the accuracy, they are level”; as measured it "
        "is 1.1 points (0.6 to 1.4) higher, so that is not said. The bounds are the same.",
        watch=_at(0.1),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a declared statement."""
    relu = _accuracies(seed, RELU_KNOBS)
    found = {rate: _accuracies(seed, {"learning_rate": rate}) for rate in RATES}
    best = {norm: max(found[rate][norm] for rate in RATES) for norm in ("none", "batch")}
    limits = {
        norm: _limit(seed, norm, {rate: found[rate][norm] for rate in RATES})
        for norm in ("none", "batch")
    }
    return {
        "relu-none": relu["none"],
        "relu-batch": relu["batch"],
        "tanh-none-low": min(found[rate]["none"] for rate in PLAIN_RATES),
        "tanh-batch-low": min(found[rate]["batch"] for rate in BATCH_RATES),
        "fail": max(found[10.0].values()),
        "wider": limits["batch"] / limits["none"],
        "no-better": best["batch"] - best["none"],
        "plain-best": best["none"],
    }


def measure_he(seed: int) -> dict[str, float]:
    """What is stated of He's initial weights."""
    reached = _accuracies(seed, HE_KNOBS)
    return {"relu-none-he": reached["none"], "relu-batch-he": reached["batch"]}


def largest_that_works(coarse: Mapping[float, bool], works: Callable[[float], bool]) -> float:
    """The largest rate that works, to a tenth of a decade; NaN: none.

    Args:
        coarse: of each rate of a ladder, whether it works.
        works: the same of any rate between two of them, which takes a run.
    """
    largest = max((rate for rate, good in coarse.items() if good), default=math.nan)
    fails = min((rate for rate in coarse if rate > largest), default=largest)
    rate = largest * FINE_STEP
    # One that is the next of the ladder but for rounding is known to fail.
    while rate < fails / 1.01 and works(rate):
        largest, rate = rate, rate * FINE_STEP
    return largest


def _limit(seed: int, norm: str, accuracies: Mapping[float, float]) -> float:
    """The largest rate at which a network reaches `WORKS`."""
    return largest_that_works(
        {rate: value >= WORKS for rate, value in accuracies.items()},
        lambda rate: _accuracies(seed, {"learning_rate": rate, "norms": (norm,)})[norm] >= WORKS,
    )


def _accuracies(seed: int, knobs: Mapping[str, Any]) -> dict[str, float]:
    (shot,) = play(RunConfig(**knobs, seed=seed), (STEPS,))
    return {norm: accuracy(record) for norm, record in shot.networks.items()}


CLAIM = Claim(STATEMENTS, measure, parts={"he": measure_he})
