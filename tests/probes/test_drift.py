"""Drift compared with SciPy and with closed forms."""

from itertools import cycle

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.probes import drift
from tests.every_case import every_case
from tests.probes.contexts import MLP_NORMS, context_of, make_context, make_experiment


def experiment(norm, **knobs):
    return make_experiment(norm, steps=0, learning_rate=1.0, **knobs)


def values_of(context):
    """Return the values before and after the norm, as two arrays [L, P × H]."""
    layers = context.probe_training.layers
    return [
        np.stack([getattr(layer, name).numpy().ravel() for layer in layers])
        for name in ("pre_activation", "nonlinearity_input")
    ]


def check(found, reference, now, name, rtol):
    for row in range(2):
        for layer in range(len(now[row])):
            old, new = reference[row][layer], now[row][layer]
            sigma = old.std()
            expected = {
                "w1": wasserstein_distance(old, new) / sigma,
                "mean": (new.mean() - old.mean()) / sigma,
                "log_sigma": np.log(new.std() / sigma),
            }
            for key, value in expected.items():
                measured = found[f"{key}_{name}"][row, layer]
                assert measured == pytest.approx(value, rel=rtol, abs=1e-6), (key, row, layer)


@every_case(("norm", "position"), [*zip(MLP_NORMS, cycle(["before", "after"]))])
def test_distances_are_those_of_scipy(norm, position):
    """Two units have few enough values that all quantiles are stored."""
    run = experiment(norm, norm_position=position, width=2)
    memory = {}
    start = context_of(run, norm, memory)
    drift.measure(start)
    for _ in range(5):
        run.step()
    middle = context_of(run, norm, memory)
    drift.measure(middle)
    for _ in range(5):
        run.step()
    end = context_of(run, norm, memory)
    found = drift.measure(end)
    check(found, values_of(start), values_of(end), "start", 1e-5)
    check(found, values_of(middle), values_of(end), "last", 1e-5)


def test_thinning_large_layers_changes_distances_little():
    run = experiment("none", width=100, depth=2)
    old = values_of(context_of(run, "none"))[0]
    for _ in range(20):
        run.step()
    end = context_of(run, "none")
    found, new = drift.measure(end), values_of(end)[0]
    for layer in range(2):
        exact = wasserstein_distance(old[layer], new[layer]) / old[layer].std()
        assert found["w1_start"][0, layer] == pytest.approx(exact, rel=0.02)


def test_step_0_is_the_reference_even_when_it_was_never_measured():
    first, second = experiment("batch"), experiment("batch")
    memory = {}
    drift.measure(context_of(first, "batch", memory))
    for _ in range(6):
        first.step()
        second.step()
    watched = drift.measure(context_of(first, "batch", memory))
    late = drift.measure(context_of(second, "batch"))
    for name in ("w1_start", "mean_start", "log_sigma_start"):
        np.testing.assert_array_equal(watched[name], late[name])


def test_nothing_has_moved_at_step_0():
    found = drift.measure(make_context("batch", steps=0))
    assert len(found) == 6
    for name, value in found.items():
        np.testing.assert_array_equal(value, 0, err_msg=name)


def test_first_measurement_has_no_last_one():
    found = drift.measure(make_context("none", steps=4))
    np.testing.assert_array_equal(found["w1_last"], 0)
    assert (found["w1_start"] > 0).all()


def test_batch_normalization_pins_the_moments_after_it():
    found = drift.measure(make_context("batch", steps=20, norm_affine=False))
    np.testing.assert_allclose(found["mean_start"][1], 0, atol=1e-6)
    np.testing.assert_allclose(found["log_sigma_start"][1], 0, atol=1e-3)
    assert np.abs(found["log_sigma_start"][0]).min() > 1e-3


def test_without_a_norm_both_rows_are_one():
    found = drift.measure(make_context("none", steps=4))
    for value in found.values():
        np.testing.assert_array_equal(value[0], value[1])


def test_memory_survives_a_checkpoint():
    config = RunConfig(depth=3, width=12, batch_size=16, learning_rate=1.0)
    run = Experiment(config)
    for _ in range(3):
        run.step()
        run.snapshot(("drift",))
    again = Experiment.restore(config, run.checkpoint())
    run.step()
    again.step()
    first, second = run.snapshot(("drift",)), again.snapshot(("drift",))
    for norm, record in first.networks.items():
        for name, value in record.probes["drift"].items():
            np.testing.assert_array_equal(value, second.networks[norm].probes["drift"][name])
