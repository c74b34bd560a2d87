"""Gradients of few examples compared with the gradient of all examples, checked against
autograd.
"""

import numpy as np
import pytest
import torch
from torch.nn import functional

from bnviz.config import RunConfig
from bnviz.pieces import run_to_end
from bnviz.probes import estimate
from bnviz.probes.axis import ESTIMATE_SIZES
from tests.every_case import every_case
from tests.probes.contexts import make_context


def measured(context):
    return run_to_end(estimate.measure(context))


def gradient(context, rows):
    """Return the gradient of the examples `rows` by autograd through the engine's forward pass."""
    flat = context.network.flat.clone().requires_grad_()
    inputs, labels = (torch.from_numpy(part[rows]) for part in
                      (context.data.train_inputs, context.data.train_labels))  # fmt: skip
    with torch.enable_grad():
        logits = context.network.twin(flat).forward(inputs.double(), training=True).logits
        return torch.autograd.grad(functional.cross_entropy(logits, labels), flat)[0]


@every_case("norm", ["none", "batch"])
def test_errors_and_cosines_are_medians_of_twenty_mini_batches(norm):
    context = make_context(norm, steps=2, depth=1)
    generator = np.random.default_rng([0, 5, 13, 2])
    count = len(context.data.train_labels)
    population = np.sort(generator.choice(count, count, replace=False))
    whole, found = gradient(context, population), measured(context)
    for place, size in enumerate(ESTIMATE_SIZES[:3]):
        drawn = [np.sort(generator.choice(population, size, replace=False)) for _ in range(20)]
        few = [gradient(context, rows) for rows in drawn]
        error = np.median([float((each - whole).norm() / whole.norm()) for each in few])
        cosine = np.median([float(torch.cosine_similarity(each, whole, 0)) for each in few])
        assert found["error"][place] == pytest.approx(error, rel=1e-5)
        assert found["cosine"][place] == pytest.approx(cosine, rel=1e-5)


def test_four_times_the_examples_give_half_the_error_without_bn():
    found = measured(make_context("none", steps=0, width=60, dtype=torch.float32))
    (fifteen, sixty, more), cosines = found["error"][2:], found["cosine"]
    # Four times as many examples have about half the error, or somewhat less, because mini-batches
    # are sampled without replacement from only 1,438 examples.
    for few, many in ((fifteen, sixty), (sixty, more)):
        assert 0.35 < many / few < 0.6
    assert (np.diff(cosines) > 0).all()


def test_with_bn_two_examples_say_nothing_of_the_direction():
    """Over five seeds, the cosine between the gradient of two examples and that of all is at most
    0.02 with BN, at least 0.2 without.
    """
    found = {norm: measured(make_context(norm, steps=0, width=60, dtype=torch.float32))["cosine"]
             for norm in ("none", "batch")}  # fmt: skip
    assert abs(found["batch"][0]) < 0.08
    assert found["none"][0] > 0.12


def test_large_networks_see_fewer_mini_batches_and_examples():
    assert estimate.affordable(RunConfig(depth=3), 1438) == (1438, 20)
    assert estimate.affordable(RunConfig(depth=3), 60_000) == (2048, 20)
    assert estimate.affordable(RunConfig(depth=20, width=512, batch_size=8), 60_000) == (397, 4)
