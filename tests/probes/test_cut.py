"""Networks cut in two, compared with networks assembled by hand."""

import math

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.pieces import in_pieces, run_to_end
from bnviz.probes import cut
from bnviz.probes.axis import units
from tests.every_case import every_case
from tests.probes.contexts import KEPT, context_of, make_context


def measure(context):
    return run_to_end(in_pieces(cut.measure(context)))


def put_together(context, lower, upper, layers):
    """Return the test accuracy of a network whose first layers have the weights of another step."""
    views, flat = context.network.views, context.saved_weights[upper].clone()
    for name, view in views(flat).items():
        if name.rpartition(".")[0] in [f"layer {number}" for number in range(1, layers + 1)]:
            view.copy_(views(context.saved_weights[lower])[name])
    inputs = context.as_input(context.data.test_inputs)
    logits = context.network.twin(flat).forward(inputs, training=True).logits
    return np.mean(logits.argmax(1).numpy() == context.data.test_labels)


# With `skip=2`, the second cut is inside a block of two layers.
@every_case(
    ("norm", "knobs"),
    [
        *((norm, {"norm_position": position}) for norm in ("none", "batch", "layer", "dropout")
          for position in ("before", "after")),
        ("none", {"skip": 2}), ("batch", {"skip": 2}), ("batch", {"skip": 1}),
    ],
)  # fmt: skip
def test_each_share_is_that_of_a_network_put_together_by_hand(norm, knobs):
    context = make_context(norm, width=20, learning_rate=1.0, **knobs)
    found = measure(context)
    assert found["steps"].tolist() == list(KEPT)
    assert found["cuts"].tolist() == [1, 2]
    for layers in (1, 2):
        for i, s in enumerate(KEPT):
            for j, t in enumerate(KEPT):
                share = put_together(context, s, t, layers)
                assert found["accuracy"][layers - 1, i, j] == pytest.approx(share)
    assert np.ptp(found["accuracy"]) > 0


@every_case("norm", ["none", "batch"])
def test_what_passes_and_how_its_units_wander(norm):
    context = make_context(norm, width=20, learning_rate=1.0)
    found, inputs = measure(context), context.as_input(context.data.test_inputs)
    passes = [context.network.twin(context.saved_weights[step]).forward(inputs, training=True)
              for step in KEPT]  # fmt: skip
    for place, (then, now) in enumerate(zip(passes[0].layers, passes[1].layers, strict=True)):
        before, after = (layer.pre_activation.numpy() for layer in (then, now))
        shift = np.abs(after.mean(0) - before.mean(0))
        if place < 2:
            moved = found["wander"][place]
            assert moved[1, 0] == pytest.approx(np.median(shift / before.std(0)), rel=1e-5)
            assert moved[0, 1] == pytest.approx(np.median(shift / after.std(0)), rel=1e-5)
            counts, _ = np.histogram(now.activation.numpy(), np.linspace(-1, 1, 41))
            expected = 65535 * counts / counts.sum()
            np.testing.assert_allclose(found["passes"][place, 1], expected, atol=40)
    np.testing.assert_allclose(found["edges"], np.linspace(-1, 1, 41), atol=1e-6)


def test_how_far_units_have_come_from_the_start():
    context = make_context("batch", width=20, learning_rate=1.0, steps=5)
    then, now = context.at_start(), context
    for row, part in enumerate(("pre_activations", "nonlinearity_inputs")):
        before, after = getattr(then, part), getattr(now, part)
        shift = np.abs(after.mean(1) - before.mean(1)) / before.std(1)
        found = measure(context)
        np.testing.assert_allclose(found["from_start"][row], np.median(shift, axis=1), rtol=1e-5)
        if row == 0:
            eight = shift[:, units(shift.shape[1])]
            np.testing.assert_allclose(found["from_start_units"], eight, rtol=1e-5)


def test_with_fixed_statistics_what_was_worked_out_with_others_is_not_taken_for_it():
    """The runs have the same settings and the same saved weights of step 0."""
    config = RunConfig(depth=3, width=16, norms=("batch",))
    early, late, again = (Experiment(config, keep=(0,)) for _ in range(3))
    for run, fixed_at in ((early, 2), (late, 6), (again, 6)):
        run.advance(fixed_at)
        run.update(norm_statistics="running")
        run.advance(8)
    found = [run.snapshot(["cut"]).networks["batch"].probes["cut"]["passes"]
             for run in (early, late, again)]  # fmt: skip
    assert not np.array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[1], found[2])


@every_case("layers", [1, 2])
def test_a_random_step_is_as_long_as_the_real_one_and_leaves_the_upper_layers_alone(layers):
    context = make_context("batch", width=20)
    network, (start, end) = context.network, context.saved_weights.values()
    draws = [cut.random_step(network, start, end, layers, np.random.default_rng(seed))
             for seed in (1, 1, 2)]  # fmt: skip
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    lengths = dict.fromkeys(("real", "random"), 0.0)
    for name, view in network.views(draws[0]).items():
        if int(name.partition(".")[0].removeprefix("layer ").replace("output", "99")) > layers:
            assert torch.equal(view, network.views(start)[name])
            continue
        for kind, moved in (("real", network.views(end)[name]), ("random", view)):
            lengths[kind] += float((moved - network.views(start)[name]).square().sum())
    assert lengths["random"] == pytest.approx(lengths["real"], rel=1e-9)
    found = measure(context)
    for table in found["random"] - found["accuracy"]:
        assert (np.diag(table) == 0).all()


def test_steps_are_added_as_the_run_comes_to_them():
    experiment = Experiment(RunConfig(depth=3, width=12), keep=(0, 1, 3))
    taken = []
    for _ in range(4):
        taken.append(measure(context_of(experiment, "batch")))
        experiment.step()
    assert [len(found["steps"]) for found in taken] == [1, 2, 2, 3]
    np.testing.assert_array_equal(taken[3]["accuracy"][:, :2, :2], taken[1]["accuracy"])


def test_a_frozen_upper_half_gains_from_what_the_lower_learns():
    """The upper layers are frozen at step 20. The lower layers train until step 100 (seed 0)."""
    experiment = Experiment(RunConfig(), keep=(20, 100))
    for _ in range(100):
        experiment.step()
    for norm, least in (("none", 0.03), ("batch", 0.01)):
        found = measure(context_of(experiment, norm))
        soon, late = found["accuracy"][2, :, 0]
        assert late - soon > least
        assert abs(found["random"][2, 1, 0] - soon) < 0.02
        assert (found["from_start"][0, -1] > 0.5) == (norm == "none")
        assert (found["from_start"][0, -1] < 0.1) == (norm == "batch")


def test_a_step_that_was_not_finite_gives_no_share():
    context = make_context("none", width=20)
    context.network.views(context.saved_weights[KEPT[1]])["layer 1.weight"][0, 0] = math.nan
    found = measure(context)
    assert np.isnan(found["accuracy"][:, 1]).all()
    assert np.isfinite(found["accuracy"][:, 0]).all()


@every_case("knobs", [{"network": "conv"}, {"depth": 1}, {"depth": 13}])
def test_it_says_nothing_where_it_does_not_apply(knobs):
    assert measure(make_context("batch", steps=0, **knobs)) == {}


def test_without_kept_weights_there_is_nothing_to_cut():
    experiment = Experiment(RunConfig(depth=2, width=8))
    assert measure(context_of(experiment, "batch")) == {}
