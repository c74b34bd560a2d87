"""The monitor's rules one by one: each count, each threshold, each direction."""

import math

from bnviz.networks.activations import ACTIVATIONS
from bnviz.records import AT_CHANCE, BLOWN_UP, NONFINITE, Break
from bnviz.training.monitor import Monitor
from bnviz.training.rules import Rules
from tests.every_case import every_case

START = 8.0  # an exact binary number, so that losses and their means are exact
CHANCE = 0.25
# Accuracies just below and just above chance + 0.05.
HARDLY, PLAINLY = 0.2999, 0.3001
DEAD = ("layer 3", "dead")
LARGE = ("layer 1", "large")


class Told:
    """Monitor for four classes that observes losses step by step. The loss at step 0 is 8."""

    def __init__(self, first: float = START, accuracy: float = 0.9) -> None:
        rules = Rules(("layer 1", "layer 2", "layer 3"), ACTIVATIONS["relu"])
        self.monitor, self.step = Monitor(rules, classes=4, chance_loss=START), 0
        self.tell(first, accuracy=accuracy)

    def tell(self, *losses: float, accuracy: float = 0.9, fired=None) -> str:
        """Observe these losses and return the state."""
        for loss in losses:
            self.monitor.observe(self.step, loss, accuracy, fired, examples=50)
            self.step += 1
        return self.monitor.state

    @property
    def broke(self) -> Break | None:
        return self.monitor.broke


def blown_up(accuracy: float = 0.9) -> Told:
    """Return a monitor at step 5. Its last five losses average over three times the first loss."""
    told = Told()
    assert told.tell(*[3 * START] * 4, accuracy=accuracy) == "learning"
    assert told.tell(3 * START + 1, accuracy=accuracy) == "blown_up"
    return told


def test_three_times_the_start_is_not_yet_blown_up_and_a_little_more_is():
    told = Told()
    assert told.tell(*[3 * START] * 20) == "learning"
    assert told.tell(3 * START + 0.001) == "blown_up"


def test_four_steps_are_too_few_however_large_their_loss():
    told = Told(first=1.0)
    assert told.tell(1e6, 1e6, 1e6) == "learning"
    assert told.tell(0.0) == "blown_up"


def test_a_sixth_step_lets_the_first_of_five_go():
    told = Told()
    told.tell(*[0.0] * 10)
    assert told.tell(15 * START + 1) == "blown_up"
    assert [told.tell(0.0) for _ in range(5)] == ["blown_up"] * 4 + ["learning"]


@every_case(("first", "bar"), [(2.0, 8.0), (8.0, 8.0), (20.0, 20.0)])
def test_the_bar_is_the_larger_of_the_first_loss_and_that_at_chance(first, bar):
    told = Told(first=first)
    assert told.tell(*[3 * bar] * 9) == "learning"
    assert told.tell(3 * bar + 0.001) == "blown_up"


def test_only_the_first_loss_raises_the_bar():
    told = Told()
    told.tell(2 * START)
    assert told.tell(*[3 * START + 1] * 5) == "blown_up"


def test_the_loss_at_chance_is_ln_c_unless_another_one_is_given():
    monitor = Monitor(Rules(("layer 1",), ACTIVATIONS["tanh"]), classes=4)
    bar = 3 * math.log(4)
    monitor.observe(0, 1.0, 0.9, None, examples=50)
    for step in range(1, 9):
        monitor.observe(step, 0.99 * bar, 0.9, None, examples=50)
    assert monitor.state == "learning"
    for step in range(9, 14):
        monitor.observe(step, 1.01 * bar, 0.9, None, examples=50)
    assert monitor.state == "blown_up"


def test_back_at_the_start_loss_it_is_still_blown_up_and_a_little_below_it_is_not():
    told = blown_up()
    assert told.tell(*[START] * 20) == "blown_up"
    assert told.tell(START - 0.01) == "learning"


@every_case(("accuracy", "state"), [(HARDLY, "blown_up"), (PLAINLY, "learning"), (0.0, "blown_up")])
def test_a_low_loss_ends_a_blow_up_only_above_chance_and_a_twentieth(accuracy, state):
    told = blown_up(accuracy=0.0)
    assert told.tell(*[1.0] * 5, accuracy=accuracy) == state


def test_that_accuracy_is_the_mean_of_five_steps():
    """The last five accuracies sum to 1.51, and the limit is 5 × 0.3, with 0.3 = chance + 0.05."""
    told = blown_up(accuracy=0.0)
    told.tell(*[1.0] * 5, accuracy=0.0)
    assert told.tell(1.0, accuracy=1.0) == "blown_up"
    assert told.tell(1.0, accuracy=0.5) == "blown_up"
    assert told.tell(1.0, accuracy=0.01) == "learning"
    again = blown_up(accuracy=1.0)
    assert again.tell(*[1.0] * 4, accuracy=0.2) == "learning", "1 and four times 0.2"
    late = blown_up(accuracy=1.0)
    assert late.tell(*[START] * 5, accuracy=0.1) == "blown_up"
    assert late.tell(*[1.0] * 5, accuracy=0.1) == "blown_up"


def test_a_blow_up_that_is_over_stays_so_until_it_blows_up_again():
    told = blown_up()
    assert told.tell(*[1.0] * 5) == "learning"
    assert told.tell(*[2 * START] * 5, accuracy=0.2) == "learning"
    assert told.tell(*[3 * START + 1] * 5) == "blown_up"
    assert told.tell(*[2 * START] * 5) == "blown_up", "the second time counts like the first"
    assert told.tell(*[1.0] * 5) == "learning"


@every_case(("accuracy", "state"), [(HARDLY, "stuck"), (PLAINLY, "learning")])
def test_stuck_is_chance_and_a_twentieth_or_less(accuracy, state):
    told = Told()
    told.tell(*[START] * 100, accuracy=accuracy)
    assert told.monitor.state == state


def test_stuck_takes_a_hundred_steps():
    told = Told()
    told.monitor = Monitor(told.monitor.rules, classes=4)
    assert told.tell(*[1.0] * 99, accuracy=0.1) == "learning"
    assert told.tell(1.0, accuracy=0.1) == "stuck"


def test_the_hundred_steps_are_the_last_ones_and_their_mean_counts():
    told = Told()
    told.tell(*[1.0] * 99, accuracy=1.0)
    states = [told.tell(1.0, accuracy=0.0) for _ in range(100)]
    # When 30 of the last hundred accuracies are 1, their mean is chance + 0.05.
    assert states.index("stuck") == 69
    assert set(states[69:]) == {"stuck"}


def test_blown_up_goes_before_stuck_and_stuck_before_all_else():
    told = Told()
    told.tell(*[START] * 120, accuracy=0.1)
    assert told.tell(*[3 * START + 1] * 5, accuracy=0.1) == "blown_up"
    assert told.tell(*[START] * 5, accuracy=0.1) == "stuck"
    assert told.tell(*[1.0] * 5, accuracy=0.4) == "stuck"
    assert told.tell(*[1.0] * 60, accuracy=0.9) == "learning", "it had learned nothing before"


@every_case(("accuracy", "left"), [(0.3499, False), (0.3501, True)])
def test_who_was_a_tenth_above_chance_over_a_hundred_steps_fell_back(accuracy, left):
    told = Told(accuracy=0.1)
    told.tell(*[1.0] * 100, accuracy=accuracy)
    told.tell(*[1.0] * 200, accuracy=0.1)
    assert told.monitor.state == "stuck"
    assert (told.broke is not None) == left


def test_it_fell_back_where_accuracy_fell_and_not_where_its_hundred_steps_begin():
    told = Told()
    told.tell(*[1.0] * 149, accuracy=0.9)
    while told.tell(1.0, accuracy=0.0) != "stuck":
        pass
    # The mean of the last hundred accuracies falls to 0.3 or below when only 33 of them are 0.9,
    # which is after 67 steps with accuracy 0.
    assert told.step == 150 + 67
    assert told.broke == Break.because(150, None, AT_CHANCE)


def test_a_single_lucky_step_at_chance_moves_the_fall_by_nothing():
    told = Told()
    told.tell(*[1.0] * 149, accuracy=0.9)
    told.tell(*[1.0] * 20, accuracy=0.0)
    told.tell(1.0, accuracy=0.9)
    while told.tell(1.0, accuracy=0.0) != "stuck":
        pass
    assert told.broke == Break.because(150, None, AT_CHANCE)


def test_a_loss_that_stays_up_is_what_broke_after_ten_steps_without_a_layer():
    told = blown_up()
    since = told.step - 1
    for _ in range(9):
        told.tell(3 * START + 1)
        assert told.broke is None
    told.tell(3 * START + 1)
    assert told.broke == Break.because(since, None, BLOWN_UP)


def test_a_layer_that_fires_in_the_tenth_step_is_what_broke():
    told = blown_up()
    told.tell(*[3 * START + 1] * 9)
    told.tell(3 * START + 1, fired=DEAD)
    assert told.broke == Break.because(told.step - 1, *DEAD)


def test_a_layer_that_fires_a_step_later_is_not():
    told = blown_up()
    told.tell(*[3 * START + 1] * 10)
    told.tell(3 * START + 1, fired=DEAD)
    assert told.broke == Break.because(5, None, BLOWN_UP)


def test_a_blow_up_that_ends_is_told_from_its_first_step():
    told = blown_up()
    assert told.tell(*[1.0] * 5) == "learning"
    assert told.broke == Break.because(5, None, BLOWN_UP)


def test_of_the_layers_that_fire_on_end_the_first_one_is_named_with_its_step():
    told = Told()
    told.tell(1.0, fired=LARGE)
    told.tell(1.0)
    told.tell(1.0, fired=DEAD)
    told.tell(1.0, fired=LARGE)
    told.tell(*[99.0] * 5, fired=LARGE)
    assert told.monitor.state == "blown_up"
    assert told.broke == Break.because(3, *DEAD)


def test_a_layer_that_fires_in_a_network_that_learns_has_not_broken_it():
    told = Told()
    told.tell(*[1.0] * 50, fired=DEAD)
    assert told.broke is None
    told = blown_up()
    told.tell(*[1.0] * 5)
    told.tell(*[1.0] * 50, fired=DEAD)
    assert told.broke == Break.because(5, None, BLOWN_UP)


def test_a_layer_that_fires_as_a_blow_up_ends_did_not_break_it():
    told = blown_up()
    told.tell(*[1.0] * 3)
    assert told.monitor.state == "blown_up"
    while told.monitor.state == "blown_up":
        assert told.broke is None
        told.tell(1.0, fired=DEAD)
    assert told.broke == Break.because(5, None, BLOWN_UP)


def test_a_layer_that_fires_in_a_stuck_network_broke_it():
    told = Told(accuracy=0.1)
    told.tell(*[1.0] * 120, accuracy=0.1)
    assert (told.monitor.state, told.broke) == ("stuck", None)
    told.tell(1.0, accuracy=0.1, fired=DEAD)
    assert told.broke == Break.because(121, *DEAD)


def test_of_two_blow_ups_the_first_broke_it():
    told = blown_up()
    told.tell(*[1.0] * 5)
    told.tell(*[99.0] * 20, fired=DEAD)
    assert told.broke == Break.because(5, None, BLOWN_UP)


@every_case("fires", [True, False])
def test_a_value_that_is_not_finite_breaks_a_network_or_what_fired_before_did(fires):
    told = Told()
    told.tell(1.0, 1.0, fired=LARGE if fires else None)
    told.monitor.diverge(3, "layer 2")
    assert (told.monitor.state, told.monitor.stopped, told.monitor.stopped_at) == (
        "diverged", True, 3,
    )  # fmt: skip
    expected = Break.because(1, *LARGE) if fires else Break.because(3, "layer 2", NONFINITE)
    assert told.broke == expected


def test_a_network_that_broke_before_it_diverged_broke_then():
    told = blown_up()
    told.tell(*[99.0] * 10)
    told.tell(99.0, fired=DEAD)
    told.monitor.diverge(told.step, "layer 1")
    assert told.broke == Break.because(5, None, BLOWN_UP)
    assert told.monitor.stopped_at == told.step


def test_what_fired_and_stopped_has_nothing_to_do_with_a_later_divergence():
    told = Told()
    told.tell(1.0, fired=LARGE)
    told.tell(1.0)
    told.monitor.diverge(3, "output")
    assert told.broke == Break.because(3, "output", NONFINITE)
