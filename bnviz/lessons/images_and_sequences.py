"""Lesson on convolutional and recurrent networks: which values share a mean."""

from __future__ import annotations

from bnviz.config import RunConfig
from bnviz.lessons.lesson import BatchLoses, Found, Lesson, Numbers, TryIt, compared, schedule
from bnviz.lessons.observation import Observation
from bnviz.networks import GRID
from bnviz.planned_runs.comparison import Comparison

LAST_STEP = 300
# Steps whose test accuracies are averaged, because test accuracy fluctuates with two images per
# step.
TEST_STEPS = (200, 225, 250, 275, LAST_STEP)
# BN counts as broken if test accuracy is at least this much lower with BN than without a norm.
BROKEN = 0.1
BATCH, USUAL_BATCH = 2, 60
SIZES = (1, 2, 4, 8, 60)
# Settings of a fully connected network with as many layers as the lesson's convolutional network.
CONNECTED = {"network": "mlp", "depth": 4, "width": 100}
RECURRENT_STEPS, FAST_STEPS, FAST_RATE = 50, 200, 1.0


def judge(observed: Observation) -> Found:
    """Judge the claim: the convolutional network is at least as accurate with BN as without."""
    batch, plain = (observed.mean_accuracy(TEST_STEPS, norm) for norm in ("batch", "none"))
    noise, alone = (
        observed.value(LAST_STEP, "batch", "batch_noise", name)[0]
        for name in ("mean", "mean_expected")
    )
    numbers: Numbers = {
        "batch": batch,
        "plain": plain,
        "noise": noise,
        "noise_alone": alone,
    }
    gap = batch - plain
    return gap >= 0, numbers, "holds" if gap >= 0 else "breaks" if gap <= -BROKEN else None


def _at_the_end(observed: Observation) -> Numbers:
    return {**observed.accuracies_at(observed.last_step), **compared("batch", "none")(observed)}


def _by_time(observed: Observation) -> Numbers:
    """Compare how much hidden states of images differ at the first and at the last time step."""
    spread = observed.value(observed.last_step, "batch", "spread_between", "spread")
    early, late = spread[[0, -1]].tolist()
    wider = late > early
    return {
        "early": early, "late": late, "last_time": len(spread), "wider": wider,
        "narrower": not wider, **_at_the_end(observed),
    }  # fmt: skip


LESSON = Lesson(
    name="images-and-sequences",
    minutes=8,
    setting={"network": "conv", "batch_size": BATCH},
    plan=schedule((LAST_STEP, 40), shown=TEST_STEPS, probes=("batch_noise",)),
    charts=("accuracy", "batch_noise"),
    knobs=("batch_size",),
    answers=("breaks", "holds", "refuses"),
    rule=judge,
    sets_up=Comparison.over(
        "batch_size", (BATCH, USUAL_BATCH), RunConfig(depth=CONNECTED["depth"]),
        last_step=LAST_STEP,
    ),
    series=Comparison.over("batch_size", SIZES, RunConfig(network="conv"), last_step=LAST_STEP),
    breaks=(
        TryIt(
            name="recurrent",
            knobs={"network": "recurrent", "depth": 1, "width": 64, "batch_size": USUAL_BATCH},
            plan=schedule((RECURRENT_STEPS, 40), probes=("spread_between",)), tell=_by_time,
            batch_loses=BatchLoses(),
        ),
        TryIt(
            name="connected", knobs=CONNECTED, plan=schedule((LAST_STEP, 40)), tell=_at_the_end
        ),
        TryIt(
            name="norms", knobs={"norms": ("none", "batch", "group", "instance")},
            plan=schedule((LAST_STEP, 40)), tell=_at_the_end, ends=False,
        ),
        TryIt(
            name="fast",
            knobs={
                "batch_size": USUAL_BATCH, "learning_rate": FAST_RATE, "activation": "relu",
                "init": "he",
            },
            plan=schedule((FAST_STEPS, 40)), tell=_at_the_end,
        ),
    ),
    widgets={"why": ("shared_mean",)},
    values={
        "places": GRID**2, "values": BATCH * GRID**2, "usual_batch": USUAL_BATCH,
        "smallest": SIZES[0], "largest": SIZES[-1],
        "series_steps": LAST_STEP, "fast_rate": 1, "fast_steps": FAST_STEPS,
        "looked_from": TEST_STEPS[0], "looks": len(TEST_STEPS), "recurrent_steps": RECURRENT_STEPS,
    },
)  # fmt: skip
