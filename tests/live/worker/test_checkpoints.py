from __future__ import annotations

from itertools import pairwise

from bnviz.live.worker.checkpoints import MOST, RECENT, CheckpointStore


def test_nearest_is_the_last_at_or_before_a_step():
    checkpoints = CheckpointStore()
    for step in (0, 50, 100):
        checkpoints.add(step, str(step).encode())
    assert checkpoints.nearest(99) == (50, b"50")
    assert checkpoints.nearest(100) == (100, b"100")
    assert CheckpointStore().nearest(5) == (0, b"")


def test_a_checkpoint_of_the_same_step_is_replaced():
    checkpoints = CheckpointStore()
    checkpoints.add(5, b"long one")
    checkpoints.add(5, b"new")
    assert (len(checkpoints), checkpoints.size, checkpoints.nearest(5)) == (1, 3, (5, b"new"))


def test_it_keeps_the_start_and_the_latest_and_ever_fewer_between():
    checkpoints = CheckpointStore()
    for step in range(0, 20_000, 50):
        checkpoints.add(step, b"x" * 100)
    steps = checkpoints.steps()
    assert len(steps) == MOST
    assert steps[0] == 0
    assert steps[-RECENT:] == list(range(20_000 - 50 * RECENT, 20_000, 50))
    gaps = [b - a for a, b in pairwise(steps)]
    assert max(gaps[: len(gaps) // 2]) > max(gaps[len(gaps) // 2 :])
    # From any step, the nearest earlier checkpoint is at most 100 steps away, or a third of the
    # step's age if that is more.
    for wanted in range(0, 20_000, 333):
        assert wanted - checkpoints.nearest(wanted)[0] <= max(100, (20_000 - wanted) / 3)


def test_bytes_stay_within_the_limit_but_for_one_too_large():
    checkpoints = CheckpointStore(limit=1_000)
    for step in range(0, 5_000, 50):
        checkpoints.add(step, b"x" * 90)
        assert checkpoints.size <= 1_000
    checkpoints.add(9_999, b"x" * 5_000)
    assert checkpoints.steps() == [9_999]
