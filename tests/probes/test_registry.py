"""Every probe matches its registry entry, emits no warnings, and does not disturb the run."""

import warnings
from itertools import cycle
from typing import Any

import numpy as np
import torch

from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.experiment import Experiment, run
from bnviz.norms.batch import BatchNorm
from bnviz.pieces import run_to_end
from bnviz.probes import PROBES
from tests.every_case import every_case
from tests.probes.contexts import (
    KEPT,
    MLP_NORMS,
    OTHER_NETWORKS,
    context_of,
    knobs_of,
    make_context,
    make_experiment,
    shared_context,
    spoil,
)

ACTIVATIONS = ["tanh", "relu", "gelu"]
SMALL = {"depth": 2, "width": 8}
# Values that make weights useless: NaN, and a float32 whose square overflows.
SPOILT = [np.nan, 3e38]

# Configs that cover the kinds of networks, the positions of the norm, the nonlinearities, and data
# sets in the plane.
VARIANTS: list[dict[str, Any]] = [
    {"network": "conv"},
    {"network": "recurrent", "optimizer": "adam", "momentum": 0.9, "learning_rate": 0.01},
    {"loss": "squared", "momentum": 0.9},
    {"norm_position": "after", "activation": "relu"},
    {"activation": "sigmoid", "norm_affine": False},
    {"activation": "gelu", "depth": 1},
    {"activation": "relu", "skip": 1, "branch_start": 0.5},
    {"dataset": "moons", "activation": "linear", "width": 2},
]


def bytes_of(experiment):
    return [network.flat.numpy().tobytes() for network in experiment.networks.values()] + [
        buffer.numpy().tobytes()
        for network in experiment.networks.values()
        for buffer in network.buffers().values()
    ]


# For probes that do not apply to every network, the condition under which they apply.
APPLIES = {
    "amplify": lambda context: context.config.network != "recurrent",
    "affine": lambda context: (
        context.config.network != "recurrent" and context.norm not in ("none", "dropout")
    ),
    "before_change": lambda context: context.step in context.saved_weights,
    "boundary": lambda context: DATASETS[context.config.dataset].plane,
    "cut": lambda context: context.config.network == "mlp" and context.config.depth > 1,
    "ics": lambda context: context.config.network != "recurrent",
    "mode_gap": lambda context: bool(context.network.buffers()),
    "shape": lambda context: context.config.network != "recurrent",
    "shown_values": lambda context: (
        context.config.network != "conv" and len(context.data.shown) > 0
    ),
    "unit_batch": lambda context: (
        context.config.network == "mlp"
        and all(isinstance(norm, BatchNorm) for norm in context.network.norms)
        and context.norm not in ("noisy", "moment_noise", "ghost")
    ),
}
# Probes that store values of step 0 or of their last measurement.
REMEMBERS = ("drift", "start_histogram", "unit_histogram", "weights")


def measured(context):
    """Run every probe and return its values. A warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return {name: run_to_end(context.values(name)) for name in PROBES}


def shapes_of(found):
    return {
        name: {key: (value.dtype, value.shape) for key, value in values.items()}
        for name, values in found.items()
    }


def shapes(context):
    return shapes_of(measured(context))


def check(context):
    found = measured(context)
    adam = context.config.optimizer == "adam"
    wrong = [
        (name, "measures") for name, values in found.items()
        if bool(values) != APPLIES.get(name, lambda _: True)(context)
    ]  # fmt: skip
    for name, key, value in ((n, k, v) for n, values in found.items() for k, v in values.items()):
        if getattr(value, "dtype", None) not in (np.float32, np.uint16, np.uint8):
            wrong.append((name, key, type(value)))
            continue
        # Without weight decay there is no equilibrium, so `settled` is unknown.
        unknown = key == "settled" or (adam and key in ("edge", "limit", "effective_rate"))
        if not (np.isnan(value) if unknown else np.isfinite(value)).all():
            wrong.append((name, key, value))
    assert wrong == []
    return found


PIECES = [
    {"ablation_statistics": "mean", "ablation_gradient": False, "ablation_bias": True},
    {"ablation_statistics": "variance", "ablation_affine": False, "ablation_layers": (2,)},
]


# Norms whose kinds of statistics, kernels or random numbers differ from each other.
KINDS = (
    "none", "batch", "noisy", "ghost", "batch_dropout", "renorm", "layer", "group", "dropout",
    "iternorm", "zca", "l1",
)  # fmt: skip


@every_case(
    ("norm", "activation", "value"),
    [*zip(MLP_NORMS, cycle(ACTIVATIONS), cycle(SPOILT)), ("none", "relu", SPOILT[1]),
     ("batch", "gelu", SPOILT[0])],
)  # fmt: skip
def test_values_are_finite_and_spoilt_weights_give_the_same_arrays(norm, activation, value):
    knobs = {"dataset": "moons", "activation": activation, "dtype": torch.float32, **SMALL}
    healthy = shapes_of(check(shared_context(norm, **knobs)))
    if norm in KINDS:
        assert shapes(shared_context(norm, spoilt_by=value, **knobs)) == healthy


@every_case("norm", ["batch", "zca"])
def test_values_are_finite_in_double_precision(norm):
    check(shared_context(norm, **SMALL))


@every_case(
    ("norm", "variant"),
    [("batch", each) for each in VARIANTS[2:]]
    + [*zip(("none", "layer", "none", "layer"), VARIANTS[:2] + VARIANTS[6:], strict=True)],
)
def test_values_are_finite_whatever_is_trained(norm, variant):
    size = {} if "network" in variant else SMALL
    check(shared_context(norm, dtype=torch.float32, **size | variant))


def test_feature_maps_can_be_normalized_by_example():
    check(shared_context("instance", dtype=torch.float32, network="conv"))


@every_case("pieces", PIECES)
def test_batch_normalization_may_be_taken_apart(pieces):
    check(shared_context("ablated", dtype=torch.float32, dataset="moons", **SMALL, **pieces))


@every_case(("norm", "batch_size"), [("none", 1), ("none", 700), ("batch", 2),
                                                  ("batch", 700)])  # fmt: skip
def test_tiny_batches_and_batches_larger_than_the_data(norm, batch_size):
    knobs = {"dataset": "moons", "width": 2, "depth": 1}
    usual = shapes(shared_context(norm, **knobs))
    assert shapes(make_context(norm, batch_size=batch_size, **knobs)) == usual


# Probes of a mini-batch or of its gradients, which need a training step.
OF_A_STEP = {
    "gradients", "ics", "landscape", "batch_noise", "batch_values", "unit_batch", "mode_gap",
    "spectrum",
    "estimate",
    "median_step",
}  # fmt: skip
# Probes that only networks with a norm have.
OF_BATCH = {"affine", "mode_gap", "unit_batch"}
# Values that are NaN if the first layer's weights are NaN.
UNKNOWN = {
    "percentiles": ["layer"], "drift": ["w1_start", "mean_start", "log_sigma_start"],
    "jacobian": ["percentiles", "zeros"], "io_jacobian": ["singular_values", "zeros"],
    "rank": ["participation", "correlation"], "spread_between": ["spread"],
    "sharpness": ["lambda_max", "lambda_min", "edge"], "amplify": ["change", "amplified"],
    "fit": ["accuracy", "loss", "test_accuracy", "gap"],
}  # fmt: skip


def test_a_batch_of_one_leaves_out_what_batch_norm_has_no_step_for():
    knobs = {"dataset": "moons", "width": 2, "depth": 1}
    experiment = make_experiment("batch", batch_size=1, **knobs)
    found = shapes(context_of(experiment, "batch", takes_step=False))
    usual = shapes(shared_context("batch", **knobs))
    assert found == {name: {} if name in OF_A_STEP else usual[name] for name in PROBES}


@every_case(("network", "value"), [*zip(OTHER_NETWORKS, SPOILT, strict=True)])
def test_other_networks_may_be_spoilt_too(network, value):
    knobs = {"network": network, "dtype": torch.float32, "activation": "relu"}
    healthy = shapes_of(check(shared_context("batch", **knobs)))
    assert shapes(shared_context("batch", spoilt_by=value, **knobs)) == healthy


@every_case("norm", ["none", "batch"])
def test_of_a_network_that_has_stopped_nothing_is_told_that_is_not_known(norm):
    experiment = make_experiment(norm, dtype=torch.float32)
    usual = shapes(context_of(experiment, norm))
    stopped = spoil(context_of(experiment, norm, takes_step=False), np.nan)
    assert shapes(stopped) == {name: {} if name in OF_A_STEP else usual[name] for name in PROBES}
    for name, values in measured(stopped).items():
        for key in UNKNOWN.get(name, ()):
            assert np.isnan(values[key]).all(), (name, key)


# `tests/test_same_bits.py` covers other optimizers, data sets and norms, and continues the runs.
@every_case(("norm", "kind"), [("batch", "mlp"), ("noisy", "mlp"), ("noisy", "conv")])
def test_a_run_is_bit_identical_with_and_without(norm, kind):
    knobs = {"dataset": "moons", "depth": 2, "width": 9} if kind == "mlp" else {"network": kind}
    config = RunConfig(**knobs_of(norm, batch_size=20, momentum=0.5, **knobs))
    measured, plain = (Experiment(config, keep=KEPT) for _ in range(2))
    torch_state = torch.get_rng_state()
    # the second measurement reads the values that these probes stored
    for names in (PROBES, REMEMBERS):
        for experiment in (measured, plain):
            experiment.step()
        for name in names:
            before, kept = bytes_of(measured), measured.checkpoint()
            measured.snapshot(probes=(name,))
            assert bytes_of(measured) == before, name
            # The checkpoint must not change, except for probes that store values.
            assert name in REMEMBERS or measured.checkpoint() == kept, name
    for experiment in (measured, plain):
        experiment.step()
    assert bytes_of(measured) == bytes_of(plain)
    assert torch.equal(torch.get_rng_state(), torch_state)


@every_case("name", PROBES)
def test_measuring_twice_gives_the_same(name):
    dataset = "digits" if name == "shown_values" else "xor"
    context = shared_context("batch", dataset=dataset, steps=2)  # with saved weights
    first, second = (run_to_end(context.values(name)) for _ in range(2))
    assert first.keys() == second.keys() != set()
    for key, value in first.items():
        if name != "drift" or "start" in key:  # drift depends on the last measurement
            np.testing.assert_array_equal(value, second[key])


def test_snapshots_carry_every_probe_asked_for():
    config = RunConfig(dataset="circles", depth=2, width=8)
    *_, last = run(config, steps=3, probes="all")
    for norm, record in last.networks.items():
        # Probes that need saved weights or images, which this run lacks.
        kept = {"cut", "before_change", "shown_values"}
        missing = kept | (OF_BATCH if norm == "none" else set())
        assert set(record.probes) == set(PROBES) - missing
        assert set(record.measured_at.values()) == {3}


def test_a_network_that_takes_no_step_has_no_gradients():
    config = RunConfig(depth=2, width=8, batch_size=1)
    records = Experiment(config).snapshot().networks
    assert "gradients" in records["none"].probes
    assert "gradients" not in records["batch"].probes
