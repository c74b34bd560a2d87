"""The states and the break of a network, on made-up series of losses and accuracies."""

import math

import numpy as np

from bnviz.networks.activations import ACTIVATIONS
from bnviz.records import AT_CHANCE, BLOWN_UP, NONFINITE, Break
from bnviz.training.checkpoint import pack, unpack
from bnviz.training.monitor import Monitor
from bnviz.training.rules import Rules
from tests.training.test_monitor_rules import START as FIRST
from tests.training.test_monitor_rules import Told

START = math.log(10)
SATURATED = ("layer 2", "saturated")


def new_monitor() -> Monitor:
    return Monitor(Rules(("layer 1", "layer 2"), ACTIVATIONS["tanh"]), classes=10)


class Story:
    """Monitor that observes a series step by step."""

    def __init__(self) -> None:
        self.monitor, self.step = new_monitor(), 0

    def go(
        self,
        steps: int,
        loss: float = 1.0,
        accuracy: float = 0.5,
        fired: tuple[str, str] | None = None,
    ) -> str:
        for _ in range(steps):
            self.monitor.observe(self.step, loss, accuracy, fired, examples=60)
            self.step += 1
        return self.monitor.state


def test_learning() -> None:
    story = Story()
    assert story.go(200) == "learning"
    assert story.monitor.broke is None


def test_blown_up_is_the_mean_of_five_losses_above_three_times_the_start() -> None:
    story = Story()
    story.go(1, loss=START)
    assert story.go(10, loss=2.9 * START) == "learning"
    assert story.go(1, loss=3.3 * START) == "learning"
    assert story.go(1, loss=3.3 * START) == "blown_up"
    assert story.monitor.broke is None
    story.go(10, loss=3.3 * START)
    assert story.monitor.broke == Break.because(12, None, BLOWN_UP)


def test_a_layer_that_fires_soon_after_the_loss_blew_up_is_what_broke() -> None:
    story = Story()
    story.go(5)
    assert story.go(7, loss=99.0) == "blown_up"
    assert story.monitor.broke is None
    story.go(1, loss=99.0, fired=SATURATED)
    assert story.monitor.broke == Break.because(12, *SATURATED)


def test_a_short_blow_up_is_a_break_too() -> None:
    story = Story()
    story.go(5)
    story.go(1, loss=99.0)
    assert story.monitor.state == "blown_up"
    assert story.go(5) == "learning"
    assert story.monitor.broke == Break.because(5, None, BLOWN_UP)


def test_a_lucky_first_batch_does_not_lower_the_bar() -> None:
    story = Story()
    story.go(1, loss=0.1)
    assert story.go(20, loss=START) == "learning"


def test_the_end_of_a_blow_up_needs_the_start_loss_and_more_than_chance() -> None:
    story = Story()
    story.go(5, loss=START)
    story.go(5, loss=10 * START, accuracy=0.1)
    assert story.go(5, loss=START * 0.9, accuracy=0.14) == "blown_up"
    assert story.go(5, loss=START * 0.9, accuracy=0.5) == "learning"
    assert story.go(50) == "learning"
    assert story.monitor.broke is not None
    assert story.go(5, loss=10 * START) == "blown_up"


def test_stuck_after_a_hundred_steps_at_chance() -> None:
    story = Story()
    assert story.go(99, loss=START, accuracy=0.15) == "learning"
    assert story.go(1, loss=START, accuracy=0.14) == "stuck"
    assert story.monitor.broke is None, "the network never left chance level"
    assert story.go(20, accuracy=0.9) == "learning"
    assert story.monitor.broke is None, "it only began late"


def test_a_network_that_falls_back_to_chance_broke_there() -> None:
    story = Story()
    story.go(120, accuracy=0.9)
    assert story.go(99, loss=START, accuracy=0.1) == "stuck"
    assert story.monitor.broke is not None
    assert story.monitor.broke.layer is None
    assert story.monitor.broke.key == AT_CHANCE
    assert story.monitor.broke.reason == "accuracy at chance level for 100 steps"
    assert 100 <= story.monitor.broke.step <= 120
    before = story.monitor.broke
    assert story.go(100, accuracy=0.9) == "recovered"
    assert story.monitor.broke == before, "a recorded break is not removed"


def test_a_network_that_hovers_at_the_edge_of_chance_has_not_broken() -> None:
    story = Story()
    states = {story.go(1, loss=START, accuracy=0.1 + 0.1 * (i % 300 > 150)) for i in range(1000)}
    assert states == {"learning", "stuck"}
    assert story.monitor.broke is None


def test_a_stuck_network_whose_layer_saturates_broke_there() -> None:
    story = Story()
    assert story.go(150, loss=START, accuracy=0.1) == "stuck"
    assert story.go(5, loss=START, accuracy=0.1, fired=SATURATED) == "stuck"
    assert story.monitor.broke == Break.because(150, *SATURATED)


def test_a_stuck_network_that_blows_up_broke_when_it_blew_up() -> None:
    story = Story()
    story.go(150, loss=START, accuracy=0.1)
    story.go(4, loss=99.0, accuracy=0.1)
    assert story.go(1, loss=START, accuracy=0.1) == "blown_up"
    assert story.go(20, loss=START, accuracy=0.1) == "stuck"
    assert story.monitor.broke == Break.because(150, None, BLOWN_UP)


def test_break_is_the_first_step_of_the_series_that_ends_in_trouble() -> None:
    story = Story()
    story.go(5)
    story.go(3, fired=SATURATED)  # stops by itself
    story.go(2)
    story.go(2, fired=SATURATED)
    assert story.monitor.broke is None
    story.go(5, loss=99.0, fired=("layer 1", SATURATED[1]))
    assert story.monitor.broke == Break.because(10, *SATURATED)
    story.go(50)
    assert story.monitor.broke == Break.because(10, *SATURATED), "a recorded break is not removed"


def test_a_saturated_network_that_stays_at_chance_broke_when_it_saturated() -> None:
    story = Story()
    story.go(50, accuracy=0.95)
    assert story.go(110, loss=2 * START, accuracy=0.1, fired=SATURATED) == "stuck"
    assert story.monitor.broke == Break.because(50, *SATURATED)


def test_diverged_stops_and_stays() -> None:
    story = Story()
    story.go(5)
    story.monitor.diverge(5, "layer 2")
    assert story.monitor.stopped
    assert story.monitor.stopped_at == 5
    assert story.monitor.broke == Break.because(5, "layer 2", NONFINITE)


def test_memory_survives_a_checkpoint() -> None:
    story = Story()
    story.monitor.rules.start = np.array([1.0, 2.0])
    story.go(5, loss=START)
    story.go(60, loss=9 * START, accuracy=0.1, fired=SATURATED)
    story.go(45, loss=START * 0.9, accuracy=0.1)
    twin = Story()
    twin.monitor.load_tree(unpack(pack(story.monitor.to_tree())))
    twin.step = story.step
    assert twin.monitor.to_tree()["broke"] == story.monitor.to_tree()["broke"]
    for accuracy in (0.1, 0.2, 0.9, 0.9, 0.9, 0.9):
        assert story.go(1, loss=1.0, accuracy=accuracy) == twin.go(1, loss=1.0, accuracy=accuracy)
        assert story.monitor.broke == twin.monitor.broke
    np.testing.assert_array_equal(twin.monitor.rules.start, story.monitor.rules.start)


def test_the_course_has_the_mean_of_five_losses_by_that_at_the_start():
    told = Told()
    assert told.monitor.accuracy_trace(1).loss_ratio == 1.0
    told.tell(0.0)
    assert told.monitor.accuracy_trace(2).loss_ratio == 0.5
    told.tell(2 * FIRST, 3 * FIRST, 4 * FIRST, 5 * FIRST, 6 * FIRST)
    assert told.monitor.accuracy_trace(7).loss_ratio == 4.0
    fresh = Monitor(told.monitor.rules, classes=4)
    assert fresh.accuracy_trace(0).loss_ratio == 1.0


def test_a_checkpoint_keeps_what_each_rule_remembers():
    """Each checkpoint is taken while a rule waits for further steps. The original and the restored
    monitor must then continue alike.
    """
    ways = {
        "waiting for a layer": ([99.0] * 7, 0.9, [99.0] * 9, 0.9),
        "low again, still blown up": ([99.0] * 5 + [1.0] * 3, 0.2, [1.0] * 9, 0.9),
        "a blow-up is over": ([99.0] * 5 + [1.0] * 6, 0.9, [60.0] + [1.0] * 6, 0.9),
        "as good as before": ([1.0] * 60 + [99.0] * 5 + [1.0] * 20, 0.9, [1.0] * 70, 0.9),
        "left chance": ([1.0] * 100, 0.9, [1.0] * 100, 0.0),
        "raised bar": ([], 0.9, [3 * 8.5] * 9, 0.9),
    }
    for name, (past, accuracy, future, then) in ways.items():
        told, twin = Told(first=9.0), Told(first=1.0)
        told.tell(*past, accuracy=accuracy)
        twin.monitor.load_tree(told.monitor.to_tree())
        twin.step = told.step
        for loss in future:
            assert told.tell(loss, accuracy=then) == twin.tell(loss, accuracy=then), name
            assert told.broke == twin.broke, name
