"""Runs of presets, with snapshots at the steps that tests check."""

import numpy as np
import pytest

from bnviz.experiment import Experiment, train
from bnviz.presets import PRESETS

SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.verify) for seed in (1, 2)))


def play(preset, seed, steps, probes=(), **knobs):
    """Train a preset, and return a snapshot after each of the steps in `steps`."""
    experiment = Experiment(PRESETS[preset].config(seed=seed, **knobs))
    return list(train(experiment, steps, probes))


def at_its_step(preset, seed, probes=(), **knobs):
    """Return the snapshot of a preset at its opening step."""
    (shot,) = play(preset, seed, [PRESETS[preset].step_to_see], probes, **knobs)
    return shot


def found(snapshot, probe, key):
    """Return one value of a probe by network, for networks that have it."""
    records = snapshot.networks.items()
    return {norm: r.probes[probe][key] for norm, r in records if probe in r.probes}


def accuracy(snapshot, norm):
    return snapshot.networks[norm].test_accuracy


def wander(shots, norm):
    """Return the range of a unit's median input over time, as the median over eight units."""
    medians = [shot.networks[norm].probes["percentiles"]["unit"][-1, :, 1] for shot in shots]
    return np.median(np.ptp(medians, axis=0))
