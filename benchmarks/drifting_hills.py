"""Record the distributions that the page *About* draws: `python -m benchmarks.drifting_hills`.

The run is a preset that repeats the first figure of Ioffe & Szegedy 2015 on digits. For 256 test
examples, with and without BN, the recording has the inputs of the last hidden layer's nonlinearity.
The intervals between the recorded steps grow. `assets/about/hills.json` contains the share of
values in each bin, so that the page needs no torch. A test repeats the first steps of the run.
"""

from __future__ import annotations

import numpy as np
import orjson
import torch

from bnviz.experiment import Experiment, stops
from bnviz.presets import PRESETS
from bnviz.training.machine import use_one_thread
from bnviz.ui.about import HILLS, PRESET, NetworkHills, RecordedHills

STEPS = (0, 10, 50, 150, 300, 600, 2500)
LOW, HIGH, BINS = -7.0, 7.0, 112
DIGITS = 5


def record(steps: tuple[int, ...] = STEPS) -> RecordedHills:
    """Return the distributions of both networks at the given steps, in increasing order."""
    experiment = Experiment(PRESETS[PRESET].config())
    inputs = torch.from_numpy(experiment.data.probe_inputs).to(experiment.device)
    edges = np.linspace(LOW, HIGH, BINS + 1)
    found = {
        norm: NetworkHills(shares=[], medians=[], accuracies=[]) for norm in experiment.networks
    }
    for _ in stops(experiment, steps):
        measured = experiment.snapshot(()).networks
        for norm, network in experiment.networks.items():
            trace = network.forward(inputs, training=True)
            values = trace.layers[-1].nonlinearity_input.double().numpy().ravel()
            shares = np.histogram(values, edges)[0] / values.size
            hills = found[norm]
            hills.shares.append([round(float(share), DIGITS) for share in shares])
            hills.medians.append(round(float(np.median(values)), DIGITS))
            hills.accuracies.append(round(measured[norm].test_accuracy, DIGITS))
    return RecordedHills(low=LOW, high=HIGH, steps=list(steps), networks=found)


def main() -> None:
    use_one_thread()
    HILLS.write_bytes(orjson.dumps(record().model_dump()))
    print(f"{HILLS.name}: {HILLS.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
