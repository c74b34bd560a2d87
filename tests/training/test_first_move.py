"""The layer that changed first after a live change, in artificial series and in real runs."""

import numpy as np

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.records import Break, NetworkRecord, Snapshot
from bnviz.training.first_move import FirstMove
from bnviz.words.story import tell_story
from tests.every_case import every_case

NAMES = ("layer 1", "layer 2", "layer 3")


def followed(*squares, changed=0, drags=()):
    """Return a `FirstMove` that has observed the mean squares of three layers in each step, with a
    change before step `changed`.
    """
    found = FirstMove(NAMES)
    for step, square in enumerate(squares):
        if step == changed:
            found.changed()
        elif step in drags:
            found.changed(begins=False)
        found.observe(step, np.array(square))
    return found


ONE = (1.0, 1.0, 1.0)


@every_case(
    ("squares", "expected"),
    [
        ([ONE, (1, 9.1, 1)], ("layer 2", 1)),
        ([ONE, (9, 9, 9)], None),
        ([ONE, (1, 1, 9.1), (9.1, 1, 9.1)], ("layer 3", 1)),
        ([ONE, ONE, (1, 9.1, 9.1)], ("layer 2", 2)),
        ([ONE, (np.nan, 1, np.inf)], ("layer 3", 1)),
        ([(4, 1, 1), (35, 1, 1), (37, 1, 1)], ("layer 1", 2)),
    ],
)
def test_the_first_whose_root_mean_square_is_over_three_times_as_much(squares, expected):
    assert followed(*squares).before(100, "output") == expected


@every_case(
    ("at", "layer", "told"),
    [(3, "layer 1", True), (2, "layer 1", False), (3, "layer 2", False), (3, None, True)],
)
def test_it_is_told_of_another_layer_two_steps_earlier(at, layer, told):
    found = followed(ONE, (1, 9.1, 1)).before(at, layer)
    assert found == (("layer 2", 1) if told else None)


def test_without_a_change_nothing_moved():
    assert followed(ONE, (100, 100, 100), changed=None).before(9, None) is None


def test_a_drag_is_measured_by_what_was_before_it_and_a_new_change_by_what_was_before_that():
    assert followed(ONE, (5, 5, 5), (1, 9.1, 1), drags=(1, 2)).before(9, None) == ("layer 2", 2)
    again = followed(ONE, (1, 9.1, 1), (1, 9.1, 1), (9.1, 9.1, 1), changed=2)
    assert again.before(9, None) == ("layer 1", 3)


@every_case("passes", [0, 1, 2])
def test_its_memory_survives_a_checkpoint(passes):
    squares = [ONE, (1, 9.1, 1), (9.1, 9.1, 1)]
    one, twin = FirstMove(NAMES), FirstMove(NAMES)
    one.changed()
    for step in range(passes):
        one.observe(step, np.array(squares[step]))
    twin.load_tree(one.to_tree())
    for step in range(passes, 3):
        one.observe(step, np.array(squares[step]))
        twin.observe(step, np.array(squares[step]))
    assert one.before(9, None) == twin.before(9, None) == ("layer 2", 1)


def test_in_real_runs_it_is_what_was_measured(monkeypatch):
    """Compare the network without BN in the opening story with its mean squares at all steps."""
    seen: dict[int, np.ndarray] = {}
    observe = FirstMove.observe

    def noted(self, step, mean_square):
        seen[step] = mean_square.copy()
        observe(self, step, mean_square)

    monkeypatch.setattr(FirstMove, "observe", noted)
    told = 0
    for seed in range(6):
        experiment = Experiment(RunConfig(norms=("none",), seed=seed))
        for step in range(130):
            if step == 100:
                experiment.update(learning_rate=1.0)
            experiment.step()
        record = experiment.snapshot(probes=()).networks["none"]
        broke = record.broke
        assert broke is not None
        moved = next(step for step in range(101, 130) if (seen[step] > 9 * seen[100]).any())
        layer = f"layer {1 + int(np.argmax(seen[moved] > 9 * seen[100]))}"
        first = layer != broke.layer and moved <= broke.step - 2
        assert (broke.first_mover, broke.first_moved_at) == (
            (layer, moved) if first else (None, None)
        )
        told += first
    assert told, "at least one of six runs"


def test_the_card_says_who_broke_and_who_moved_before():
    broke = Break.because(107, "layer 5", "saturated")
    record = NetworkRecord(
        loss=1.0, test_loss=1.0, test_accuracy=0.1, state="stuck", probes={},
        broke=Break(107, "layer 5", broke.reason, "saturated", "layer 2", 103),
    )  # fmt: skip
    (card,) = tell_story(Snapshot(130, {"none": record}), RunConfig(norms=("none",))).values()
    assert [key for key, _ in card["detail"]] == ["first_layer", "moved_first"]
    assert card["detail"][1][1]["step"] == 103
