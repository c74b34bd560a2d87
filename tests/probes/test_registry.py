"""Every probe: as its entry says, silent about anything, disturbing nothing."""

import warnings
from itertools import cycle

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.experiment import Experiment, run
from bnviz.probes import PROBES
from tests.probes.contexts import (
    MLP_NORMS,
    OTHER_NETWORKS,
    context_of,
    knobs_of,
    make_context,
    make_experiment,
    spoil,
)

ACTIVATIONS = ["tanh", "relu", "gelu"]

# Everything that differs in kind: networks, position of the norm, nonlinearities, plane data.
VARIANTS = [
    {"network": "conv"},
    {"network": "recurrent", "optimizer": "adam", "momentum": 0.9, "learning_rate": 0.01},
    {"loss": "squared", "momentum": 0.9},
    {"norm_position": "after", "activation": "relu"},
    {"activation": "sigmoid", "norm_affine": False},
    {"activation": "gelu", "depth": 1},
    {"dataset": "moons", "activation": "linear", "width": 2},
]


def bytes_of(experiment):
    return [network.flat.numpy().tobytes() for network in experiment.networks.values()] + [
        buffer.numpy().tobytes()
        for network in experiment.networks.values()
        for buffer in network.buffers().values()
    ]


@pytest.mark.parametrize("name", PROBES)
def test_help_is_the_first_line_of_the_docstring(name):
    docstring = PROBES[name].resolve().__doc__
    assert PROBES[name].help == docstring.partition("\n")[0]


# Probes that do not apply everywhere, and to what they do.
APPLIES = {
    "boundary": lambda context: DATASETS[context.config.dataset].plane,
    "ics": lambda context: context.config.network != "recurrent",
    "mode_gap": lambda context: bool(context.network.buffers()),
}


def check(name, context):
    values = PROBES[name].resolve()(context)
    assert bool(values) == APPLIES.get(name, lambda _: True)(context)
    for key, value in values.items():
        assert isinstance(value, np.ndarray), key
        assert value.dtype in (np.float32, np.uint16, np.uint8), key
        unknown = context.config.optimizer == "adam" and key in ("edge", "limit", "effective_rate")
        assert np.isnan(value).all() if unknown else np.isfinite(value).all(), key


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("norm", MLP_NORMS)
@pytest.mark.parametrize("name", PROBES)
def test_values_are_finite_arrays_by_name(name, norm, dtype):
    check(name, make_context(norm, dtype=dtype))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("norm", ["none", "batch", "layer"])
@pytest.mark.parametrize("name", PROBES)
def test_values_are_finite_whatever_is_trained(name, norm, variant):
    check(name, make_context(norm, dtype=torch.float32, **variant))


@pytest.mark.parametrize("name", PROBES)
def test_feature_maps_can_be_normalized_by_example(name):
    check(name, make_context("instance", dtype=torch.float32, network="conv"))


@pytest.mark.parametrize("batch_size", [1, 2, 700])
@pytest.mark.parametrize("norm", ["none", "batch"])
@pytest.mark.parametrize("name", PROBES)
def test_batches_of_one_and_batches_larger_than_the_data(name, norm, batch_size):
    experiment = make_experiment(norm, dataset="moons", batch_size=batch_size, width=2, depth=1)
    context = context_of(experiment, norm, batch=norm == "none" or batch_size > 1)
    for value in PROBES[name].resolve()(context).values():
        assert value.dtype in (np.float32, np.uint16, np.uint8)


@pytest.mark.parametrize("value", [np.nan, 3e38])
@pytest.mark.parametrize(("norm", "activation"), [*zip(MLP_NORMS, cycle(ACTIVATIONS))])
@pytest.mark.parametrize("name", PROBES)
def test_spoilt_weights_give_the_same_arrays_without_a_warning(name, norm, activation, value):
    knobs = {"dataset": "moons", "activation": activation, "width": 8, "dtype": torch.float32}
    healthy = PROBES[name].resolve()(make_context(norm, **knobs))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spoilt = PROBES[name].resolve()(spoil(make_context(norm, **knobs), value))
    assert {key: (array.dtype, array.shape) for key, array in spoilt.items()} == {
        key: (array.dtype, array.shape) for key, array in healthy.items()
    }


@pytest.mark.parametrize("value", [np.nan, 3e38])
@pytest.mark.parametrize("network", OTHER_NETWORKS)
@pytest.mark.parametrize("name", PROBES)
def test_other_networks_may_be_spoilt_too(name, network, value):
    knobs = {"network": network, "dtype": torch.float32, "activation": "relu"}
    healthy = PROBES[name].resolve()(make_context("batch", **knobs))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spoilt = PROBES[name].resolve()(spoil(make_context("batch", **knobs), value))
    assert {key: array.shape for key, array in spoilt.items()} == {
        key: array.shape for key, array in healthy.items()
    }


@pytest.mark.parametrize("norm", ["none", "batch"])
@pytest.mark.parametrize("name", PROBES)
def test_a_network_that_has_stopped_can_be_measured(name, norm):
    experiment = make_experiment(norm, dtype=torch.float32)
    context = spoil(context_of(experiment, norm, batch=False), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PROBES[name].resolve()(context)


@pytest.mark.parametrize(
    "pieces",
    [
        {"ablation_statistics": "mean", "ablation_gradient": False, "ablation_bias": True},
        {"ablation_statistics": "variance", "ablation_affine": False, "ablation_layers": (2,)},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", PROBES)
def test_batch_normalization_may_be_taken_apart(name, pieces):
    check(name, make_context("ablated", dtype=torch.float32, **pieces))


@pytest.mark.parametrize("kind", ["mlp", *OTHER_NETWORKS])
@pytest.mark.parametrize("norm", ["none", "batch", "renorm", "noisy"])
@pytest.mark.parametrize("name", PROBES)
def test_a_run_is_bit_identical_with_and_without(name, norm, kind):
    knobs = {"dataset": "moons", "depth": 2, "width": 9} if kind == "mlp" else {"network": kind}
    config = RunConfig(**knobs_of(norm, batch_size=20, momentum=0.5, **knobs))
    measured, plain = Experiment(config), Experiment(config)
    torch_state = torch.get_rng_state()
    for _ in range(4):
        for experiment in (measured, plain):
            experiment.step()
        before = bytes_of(measured)
        measured.snapshot(probes=(name,))
        assert bytes_of(measured) == before
    assert bytes_of(measured) == bytes_of(plain)
    assert torch.equal(torch.get_rng_state(), torch_state)


@pytest.mark.parametrize("name", PROBES)
def test_measuring_twice_gives_the_same(name):
    context = make_context("batch", dataset="xor")
    measure = PROBES[name].resolve()
    first, second = measure(context), measure(context)
    if name == "drift":
        first, second = ({k: v for k, v in x.items() if "start" in k} for x in (first, second))
    for key, value in first.items():
        np.testing.assert_array_equal(value, second[key])


def test_snapshots_carry_every_probe_asked_for():
    config = RunConfig(dataset="circles", depth=2, width=8)
    *_, last = run(config, steps=3, probes="all")
    for norm, record in last.networks.items():
        assert set(record.probes) == set(PROBES) - ({"mode_gap"} if norm == "none" else set())
        assert set(record.measured_at.values()) == {3}


def test_a_network_that_takes_no_step_has_no_gradients():
    config = RunConfig(depth=2, width=8, batch_size=1)
    records = Experiment(config).snapshot().networks
    assert "gradients" in records["none"].probes
    assert "gradients" not in records["batch"].probes
