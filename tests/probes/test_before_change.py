"""Measurements just before an action, compared with a run that stops there."""

import numpy as np

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.probes import before_change
from tests.every_case import every_case
from tests.probes.contexts import make_context
from tests.test_same_bits import SMALL, go

PROBES = ("gradients", "before_change")


@every_case("changes", [{"scale_weights": (10.0, None)}, {"scale_weights": (0.2, 2)}])
@every_case("network", [{}, {"network": "conv", "depth": 2, "width": 6}])
def test_it_is_what_the_step_had_before_its_action(changes, network):
    config = RunConfig(**{**SMALL, **network, "norms": ("none", "batch", "layer")})
    stopped = go(Experiment(config), 4).snapshot(PROBES)
    experiment = go(Experiment(config, keep=(0, 4)), 4)
    experiment.update(**changes)
    for norm, record in experiment.snapshot(PROBES).networks.items():
        found, before = record.probes["before_change"], stopped.networks[norm]
        assert "before_change" not in before.probes, "nothing is kept there"
        assert found["loss"][0] == np.float32(before.loss)
        np.testing.assert_array_equal(
            found["grad_weight_norm"], before.probes["gradients"]["grad_weight_norm"]
        )
        np.testing.assert_array_equal(
            found["gradient_ratio"],
            record.probes["gradients"]["grad_weight_norm"] / found["grad_weight_norm"],
        )
        assert not np.array_equal(
            found["grad_weight_norm"], record.probes["gradients"]["grad_weight_norm"]
        )


def test_of_a_step_whose_weights_are_not_kept_nothing_is_said():
    assert before_change.measure(make_context("batch", steps=1)) == {}
