"""How to read the charts: no claim, six parts of the page and one look for the reader's own eye."""

from __future__ import annotations

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Lesson, Numbers, schedule
from bnviz.lessons.watched import Watched
from bnviz.probes.axis import probe_examples

LAST_STEP = 60
# What is lit one after the other, each with its sentence: "stops" of the lesson's words.
STOPS = ("colour", "accuracy", "layers", "gradients", "timeline", "stopped")


def most_saturated(watched: Watched) -> Numbers:
    """The hidden layer of the plain network with most values in the flat zone, counted from 1."""
    shares = watched.value(LAST_STEP, "none", "saturation", "saturated")
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
