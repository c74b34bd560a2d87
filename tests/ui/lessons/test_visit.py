"""What an address of a lesson says, and how a wrong one is answered."""

import pytest

from bnviz.config import RunConfig
from bnviz.lessons import LESSONS
from bnviz.texts import texts
from bnviz.ui.lessons.visit import FIRST, MOST_SEED, Visit, read_visit


def test_without_an_address_the_first_lesson_stands_there():
    visit = read_visit({})
    assert (visit.name, visit.guess, visit.seed, visit.problems) == (FIRST, None, 0, ())


def test_an_address_and_its_visit_are_the_same():
    query = {
        "lesson": "slow-start", "guess": "alike", "seed": "7", "init_std": "0.3",
        "activation": "tanh", "present": "1", "hide": "answers",
    }  # fmt: skip
    visit = read_visit(query)
    assert visit.problems == ()
    assert visit.to_query() == query
    config, plan = visit.setting(LESSONS["slow-start"].resolve())
    assert (config.seed, config.init_std, config.activation) == (7, 0.3, "tanh")
    assert plan == LESSONS["slow-start"].resolve().plan


def test_a_break_has_its_own_knobs_and_schedule():
    visit = read_visit({"lesson": "break-it", "break": "late"})
    config, plan = visit.setting(LESSONS["break-it"].resolve())
    assert config == RunConfig()
    assert plan.last_step == 4_200
    assert [change.step for change in plan.changes] == [4_000]


def test_a_knob_that_is_as_in_the_lesson_is_not_written():
    assert read_visit({"lesson": "slow-start", "activation": "sigmoid"}).knobs == {}


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"lesson": "<b>"}, "lesson"),
        ({"lesson": "break-it", "guess": "up"}, "guess"),
        ({"seed": "-1"}, "seed"),
        ({"seed": "9" * 40}, "seed"),
        ({"seed": "0" * 5000}, "seed"),
        ({"seed": "00000000000999999999999"}, "seed"),
        ({"seed": "²"}, "seed"),
        ({"lesson": "break-it", "break": "all"}, "break"),
        ({"run": "../etc"}, "run"),
        ({"stop": "7"}, "stop"),
        ({"stop": "-1"}, "stop"),
        ({"lesson": "break-it", "stop": "1"}, "unknown"),
        ({"present": "yes"}, "flag"),
        ({"hide": "everything"}, "hide"),
        ({"lesson": "slow-start", "activation": "step"}, "knob"),
        ({"lesson": "break-it", "depth": "3"}, "unknown"),
        ({"lesson": "read-the-charts", "guess": "stays"}, "unknown"),
        ({"lesson": "depth", "guess": "one"}, "unknown"),
    ],
)
def test_what_is_wrong_is_answered_and_left_out(query, problem):
    visit = read_visit(query)
    assert [key for key, _ in visit.problems] == [problem]
    clean = read_visit(visit.to_query())
    assert clean.problems == ()
    assert clean == Visit(**{**visit.__dict__, "problems": ()})
    for key, values in visit.problems:
        assert texts("lessons")["notice"][key].format(**values)


def test_what_any_page_reads_is_known_here():
    assert read_visit({"lang": "en", "embed": "true"}).problems == ()


def test_of_other_weights_there_is_always_a_next():
    assert read_visit({"seed": "4"}).next_seed == 5
    assert read_visit({"seed": str(MOST_SEED)}).next_seed == 0
