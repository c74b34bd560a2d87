"""Presets, run to the steps at which tests look."""

import numpy as np
import pytest

from bnviz.experiment import Experiment, train
from bnviz.presets import PRESETS

SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.verify) for seed in (1, 2)))


def play(preset, seed, steps, probes=(), **knobs):
    """Train a preset and take snapshots after each of `steps`."""
    experiment = Experiment(PRESETS[preset].config(seed=seed, **knobs))
    return list(train(experiment, steps, probes))


def at_its_step(preset, seed, probes=(), **knobs):
    """The snapshot of a preset at the step at which its page says to look."""
    (shot,) = play(preset, seed, [PRESETS[preset].step_to_see], probes, **knobs)
    return shot


def found(snapshot, probe, key):
    """One value of a probe, by network; of those that have it."""
    records = snapshot.networks.items()
    return {norm: r.probes[probe][key] for norm, r in records if probe in r.probes}


def accuracy(snapshot, norm):
    return snapshot.networks[norm].test_accuracy


def wander(shots, norm):
    """How far the median input of a last sigmoid gets, median of the eight units that are shown."""
    medians = [shot.networks[norm].probes["percentiles"]["unit"][-1, :, 1] for shot in shots]
    return np.median(np.ptp(medians, axis=0))
