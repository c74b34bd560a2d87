"""On a GPU, a run has the same bits each time, even if it continues from a checkpoint."""

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms import norms_for
from tests.every_case import every_case

STEPS = 6


def start(network: str, norms: list[str]) -> Experiment:
    """Return a run of these networks on the GPU."""
    config = RunConfig(
        network=network, norms=norms, depth=1 if network == "recurrent" else 3, width=20,
        batch_size=60, optimizer="adam", momentum=0.9, device="cuda",
    )  # fmt: skip
    return Experiment(config)


def bits(experiment: Experiment) -> dict[str, bytes]:
    """Return the bytes of the weights, the running averages and the default probes, by name."""
    found: dict[str, np.ndarray] = {}
    snapshot = experiment.snapshot()
    for norm, network in experiment.networks.items():
        tensors: dict[str, torch.Tensor] = {"weights": network.flat, **network.buffers()}
        found |= {f"{norm} {key}": value.cpu().numpy() for key, value in tensors.items()}
        for probe, values in snapshot.networks[norm].probes.items():
            found |= {f"{norm} {probe}.{key}": value for key, value in values.items()}
    return {key: value.tobytes() for key, value in found.items()}


@pytest.mark.gpu
@every_case("network", ["mlp", "conv", "recurrent"])
def test_runs_repeat_their_bits(network: str) -> None:
    norms = norms_for(network)
    for at in range(0, len(norms), 4):
        chosen = norms[at : at + 4]
        one, other, continued = (start(network, chosen) for _ in range(3))
        one.advance(STEPS)
        continued.load(one.checkpoint())
        for experiment in (one, other, continued):
            experiment.advance(2 * STEPS)
        expected = bits(one)
        assert bits(other) == expected
        assert bits(continued) == expected
