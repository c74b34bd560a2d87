"""Every probe: as its entry says, silent about anything, disturbing nothing."""

import warnings

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment, run
from bnviz.norms import NORMS
from bnviz.probes import PROBES
from tests.probes.contexts import make_context, spoil

# Everything that differs in kind: position of the norm, nonlinearities, plane data.
VARIANTS = [
    {},
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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", PROBES)
def test_values_are_finite_arrays_by_name(name, norm, variant, dtype):
    context = make_context(norm, dtype=dtype, **variant)
    values = PROBES[name].resolve()(context)
    assert values or (name == "boundary" and variant.get("dataset") != "moons")
    for key, value in values.items():
        assert isinstance(value, np.ndarray), key
        assert value.dtype in (np.float32, np.uint16, np.uint8), key
        assert np.isfinite(value).all(), key


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38])
@pytest.mark.parametrize("activation", ["tanh", "relu", "gelu"])
@pytest.mark.parametrize("norm", NORMS)
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


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", PROBES)
def test_a_run_is_bit_identical_with_and_without(name, norm):
    config = RunConfig(
        norms=(norm,), dataset="moons", depth=2, width=9, batch_size=20, momentum=0.5
    )
    measured, plain = Experiment(config), Experiment(config)
    torch_state = torch.get_rng_state()
    for _ in range(12):
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
    for record in last.networks.values():
        assert set(record.probes) == set(PROBES)
        assert set(record.measured_at.values()) == {3}


def test_a_network_that_takes_no_step_has_no_gradients():
    config = RunConfig(depth=2, width=8, batch_size=1)
    records = Experiment(config).snapshot().networks
    assert "gradients" in records["none"].probes
    assert "gradients" not in records["batch"].probes
