"""Measuring in pieces: a frozen run stays as it was while its run continues."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.pieces import in_pieces, run_to_end
from bnviz.probes import PROBES
from bnviz.records import Snapshot
from tests.clockless import clockless

KINDS = {
    "mlp": RunConfig(depth=3, width=16),
    "noise and memory": RunConfig(
        depth=2, width=16, norms=("none", "noisy", "renorm"), optimizer="adam"
    ),
    "conv": RunConfig(network="conv", depth=2, width=4, batch_size=16, norms=("batch",)),
    "fixed statistics": RunConfig(depth=3, width=16, norm_statistics="running"),
    "averages of all": RunConfig(depth=3, width=16, norms=("batch", "zca"), norm_momentum=None),
    "recurrent": RunConfig(network="recurrent", width=8, batch_size=16, norms=("batch",)),
}


def same(one: Snapshot, other: Snapshot) -> None:
    assert one.step == other.step
    for norm, record in one.networks.items():
        twin = other.networks[norm]
        assert (record.loss, record.test_loss, record.test_accuracy, record.state) == (
            twin.loss, twin.test_loss, twin.test_accuracy, twin.state,
        )  # fmt: skip
        assert record.probes.keys() == twin.probes.keys()
        for probe, values in record.probes.items():
            for name, value in values.items():
                np.testing.assert_array_equal(value, twin.probes[probe][name], f"{probe}.{name}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_frozen_run_measured_while_the_run_steps_on_is_the_run_as_it_was(kind):
    disturbed, alone = Experiment(KINDS[kind]), Experiment(KINDS[kind])
    for _ in range(7):
        disturbed.step()
        alone.step()
    pieces = disturbed.freeze(copies=True).measure(tuple(PROBES))
    count = 0
    with torch.no_grad():
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                found = end.value
                break
            count += 1
            if count % 5 == 0:
                disturbed.step()
    assert disturbed.step_number > 7 + 3
    same(found, alone.snapshot("all"))
    while alone.step_number < disturbed.step_number:
        alone.step()
    assert clockless(disturbed.checkpoint()) == clockless(alone.checkpoint())


def test_steps_taken_a_network_at_a_time_are_the_same_steps():
    whole_steps, pieces = Experiment(KINDS["mlp"]), Experiment(KINDS["mlp"])
    for _ in range(5):
        whole_steps.step()
        step = pieces.step_in_pieces()
        assert [next(step) for _ in pieces.networks] == [None, None]
        assert pieces.step_number == whole_steps.step_number - 1
        assert next(step, "ended") == "ended"
    assert clockless(pieces.checkpoint()) == clockless(whole_steps.checkpoint())


def test_long_work_has_a_pause_for_every_layer_and_chunk():
    deep = Experiment(RunConfig(depth=12, width=16))
    with torch.no_grad():
        # For each layer, the measurement pauses for the mini-batch, for the probe set, and for two
        # chunks of the test set.
        assert sum(1 for _ in deep.freeze().measure(("histogram",))) >= 2 * 4 * 12


def test_an_experiment_can_be_sent_to_any_checkpoint_of_its_run():
    config = KINDS["noise and memory"]
    run, sent = Experiment(config), Experiment(config)
    early = run.checkpoint()
    for _ in range(120):
        run.step()
    run.update(learning_rate=0.5)
    late = run.checkpoint()
    for checkpoint in (late, early, late):
        sent.load(checkpoint)
        assert sent.checkpoint() == checkpoint


def test_a_result_is_a_result_whether_it_came_in_pieces_or_at_once():
    def paused():
        yield
        return 5

    assert run_to_end(in_pieces(paused())) == 5
    assert run_to_end(in_pieces(5)) == 5
