"""A reopened experiment has the weights that its own log yields, whichever checkpoint exists."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.worker.builder import catch_up_to, reopen
from bnviz.records import Change

CONFIG = RunConfig(dataset="spirals", norms=("batch",), depth=1, width=2, batch_size=4)
LAST = 7
STEPS = st.integers(0, LAST)
# Small sets, so that logs often agree up to some change and differ after it.
VALUES = st.sampled_from([{"learning_rate": 0.05}, {"learning_rate": 2.0}, {"batch_size": 3}])
WANTED = st.lists(st.builds(Change, STEPS, VALUES, st.sampled_from((0, 0, 1))), max_size=3)


def trained(wanted: Sequence[Change], last: int) -> Experiment:
    """Return an undisturbed run at step `last`, including the changes at that step."""
    experiment = Experiment(CONFIG)
    for step in range(last + 1):
        if step:
            experiment.step()
        for change in wanted:
            if change.step == step:
                experiment.update(drag=change.drag, **change.values)
    return experiment


def weights(experiment: Experiment) -> list[bytes]:
    return [network.flat.numpy().tobytes() for network in experiment.networks.values()]


@settings(max_examples=200)
@given(WANTED, WANTED, STEPS, STEPS, STEPS, st.integers(0, 2))
def test_a_fork_has_the_weights_of_its_own_log_whatever_its_parent_has_kept(
    of_parent, own, forked_at, history_frame, target, later
):
    of_parent = sorted(of_parent, key=lambda change: change.step)
    # The drag numbers of a fork continue after the drag numbers of its parent.
    own = [
        Change(max(change.step, forked_at), change.values, change.drag and 2)
        for change in sorted(own, key=lambda change: change.step)
    ]
    target = max(target, forked_at)
    before = [change for change in of_parent if change.step <= forked_at]
    undisturbed = trained([*before, *own], target)
    # The last changes of the parent may have come after its checkpoint, at the same step.
    seen = of_parent[: len(of_parent) - later]
    checkpoint = trained(seen, min(history_frame, target)).checkpoint()
    reopened = reopen(CONFIG, checkpoint, undisturbed.changes)
    assert catch_up_to(reopened, undisturbed.changes, target, math.inf)
    assert weights(reopened) == weights(undisturbed)
    assert reopened.changes == undisturbed.changes


@pytest.mark.parametrize("checkpoint", [
    b"no checkpoint", Experiment(CONFIG.replace(seed=5)).checkpoint(),
    Experiment(CONFIG).checkpoint()[:-9],
])  # fmt: skip
def test_a_checkpoint_that_cannot_be_read_is_not_used(checkpoint: bytes):
    """It may come from a saved state of another version of the app."""
    assert weights(reopen(CONFIG, checkpoint, [])) == weights(Experiment(CONFIG))
