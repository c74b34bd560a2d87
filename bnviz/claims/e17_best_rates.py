"""E17, another part: learning speed of whitened networks per step, each at its best rate."""

from __future__ import annotations

from bnviz.claims.runs import accuracies, snapshots
from bnviz.claims.statement import (
    POINTS,
    TIMES,
    ClaimValues,
    at_least,
    at_most,
    between,
    earlier,
    found_here,
    in_lab,
)

PART = "best-rates"
NORMS = ("batch", "iternorm", "zca")
RATES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
# Steps whose accuracies are averaged, as in the lesson on whitening.
TEST_STEPS = (15, 20, 25, 30, 40)
REACHED, LAST_STEP = 0.93, 100

IN_LAB = in_lab({"norms": NORMS, "learning_rate": 0.3}, step=TEST_STEPS[-1])
STATEMENTS = (
    earlier("iternorm-best", between(-0.02, 0.02), POINTS, IN_LAB,
            part=PART, difference=True, comparator="batch-best"),
    earlier("zca-best", at_least(1.2), TIMES, IN_LAB, part=PART),
    found_here("zca-early", at_most(0), POINTS, IN_LAB, part=PART, instead_of="zca-best",
               difference=True, comparator="batch-best"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    early = dict.fromkeys(NORMS, 0.0)
    steps = dict.fromkeys(NORMS, float("inf"))
    for rate in RATES:
        knobs = {"norms": NORMS, "learning_rate": rate}
        shots = snapshots(seed, knobs, range(1, LAST_STEP + 1))
        by_step = {shot.step: accuracies(shot.networks) for shot in shots}
        for norm in NORMS:
            mean = sum(by_step[step][norm] for step in TEST_STEPS) / len(TEST_STEPS)
            early[norm] = max(early[norm], mean)
            reached = (step for step, found in by_step.items() if found[norm] >= REACHED)
            steps[norm] = min(steps[norm], next(reached, float("inf")))
    return {
        "iternorm-best": early["iternorm"] - early["batch"],
        "zca-early": early["zca"] - early["batch"],
        "batch-best": early["batch"],
        "zca-best": steps["zca"] / steps["batch"],
    }
