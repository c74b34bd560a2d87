"""Tour of the charts: six parts of the page and one question, without a claim."""

from __future__ import annotations

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Lesson, Numbers, schedule
from bnviz.lessons.observation import Observation
from bnviz.probes.axis import probe_examples

LAST_STEP = 60
# Parts of the page that the tour highlights in turn; keys of `stops` in the lesson's texts.
STOPS = ("colour", "accuracy", "layers", "gradients", "timeline", "stopped")


def most_saturated(observed: Observation) -> Numbers:
    """Return the most saturated hidden layer without BN (counted from 1) and its share of saturated
    values.
    """
    shares = observed.value(LAST_STEP, "none", "saturation", "saturated")
    return {"layer": int(np.argmax(shares)) + 1, "share": shares.max()}


LESSON = Lesson(
    name="read-the-charts",
    minutes=1,
    plan=schedule((LAST_STEP, 40), probes=("saturation",)),
    charts=("hills", "accuracy", "gradients"),
    stops=STOPS,
    check=most_saturated,
    values={"images": probe_examples(RunConfig())},
)
