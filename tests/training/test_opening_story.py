"""The opening story in real runs: only the network without BN breaks when the rate is raised."""

import numpy as np
import pytest

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from tests.every_case import every_case

# The usual tests use only the first seed. `make verify` also uses the other seeds.
SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.verify) for seed in (1, 2)))
DIGITS_TANH = {"depth": 6, "width": 100, "activation": "tanh", "init": "glorot", "device": "cpu"}


@pytest.mark.parametrize("change_at", [150, pytest.param(400, marks=pytest.mark.verify)])
@pytest.mark.parametrize("seed", SEEDS)
def test_raising_the_rate_breaks_the_plain_network_and_batch_norm_dips(
    seed: int, change_at: int
) -> None:
    experiment = Experiment(RunConfig(seed=seed, learning_rate=0.1, **DIGITS_TANH))
    for _ in range(change_at):
        experiment.step()
    before = experiment.snapshot(probes=()).networks
    assert all(record.test_accuracy > 0.85 for record in before.values())
    assert experiment.breaks() == {"none": None, "batch": None}

    experiment.update(learning_rate=1.0)
    for _ in range(250):
        experiment.step()
        assert experiment.states()["batch"] in ("learning", "blown_up", "recovered")
        if experiment.step_number > change_at + 20:
            assert experiment.states()["none"] in ("blown_up", "stuck")

    after = experiment.snapshot(probes=()).networks
    broke = after["none"].broke
    assert broke is not None
    assert change_at < broke.step <= change_at + 12
    assert broke.layer is not None
    assert "saturated" in broke.reason
    assert after["none"].test_accuracy < 0.2
    assert after["batch"].state in ("learning", "recovered")
    assert after["batch"].test_accuracy > 0.85
    dip = after["batch"].dip
    assert dip is not None
    assert change_at < dip.step <= change_at + 15
    assert dip.value < 0.5 < 0.9 < dip.before
    assert dip.over is not None
    assert dip.over <= change_at + 60


@pytest.mark.parametrize("seed", SEEDS)
@every_case(
    ("knobs", "step"), [({"init": "normal", "init_std": 3.0}, 0), ({"learning_rate": 100.0}, 1)]
)
def test_the_snapshot_of_the_step_of_a_break_shows_it(
    seed: int, knobs: dict[str, object], step: int
) -> None:
    # If the initial weights saturate a layer, the network breaks before the first step. If the
    # first step saturates a layer, the saturated share rises from a tenth to over nine tenths.
    config = RunConfig(seed=seed, device="cpu", **knobs)
    experiment = Experiment(config)
    shares: list[np.ndarray] = []
    for _ in range(120):
        if len(shares) <= step:
            probes = experiment.snapshot(probes=("saturation",)).networks["none"].probes
            shares.append(probes["saturation"]["saturated"])
        experiment.step()
    broke = experiment.breaks()["none"]
    assert broke is not None
    assert (broke.step, broke.layer) == (step, "layer 1")
    assert shares[step][0] > 0.92
    assert all(share.max() < 0.2 for share in shares[:step])


@every_case(
    "knobs",
    [
        {"norms": ("none", "batch", "layer")},
        {"activation": "relu", "init": "he", "norms": ("none", "batch", "layer")},
        {"activation": "gelu", "init": "he"},
        {"activation": "linear", "learning_rate": 0.03},
        {"activation": "sigmoid", "depth": 2, "learning_rate": 1.0},
        {"init": "normal", "init_std": 0.05, "depth": 3},
        {"norm_position": "after"},
        {"dataset": "moons", "width": 30, "depth": 3},
        {"batch_size": 8, "learning_rate": 0.03},
        {"optimizer": "adam", "momentum": 0.9, "learning_rate": 0.001},
    ],
)
def test_healthy_runs_never_break(knobs: dict[str, object]) -> None:
    config = RunConfig(**{"device": "cpu", **knobs})
    experiment = Experiment(config)
    # Take more steps at chance than a network needs to count as stuck.
    for _ in range(120):
        experiment.step()
        assert set(experiment.states().values()) == {"learning"}
        assert not any(experiment.breaks().values())
