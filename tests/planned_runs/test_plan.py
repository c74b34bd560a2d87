"""Plans: allowed values, and the rate of steps."""

import pytest

from bnviz.planned_runs.plan import MOST_KEPT, MOST_SHOWN, Plan
from bnviz.records import Change
from tests.every_case import every_case

RATES = ((10, 5.0), (20, 40.0))


def plan(**given) -> Plan:
    return Plan(**{"rates": RATES, "last_step": 30, **given})


@every_case(
    ("given", "field"),
    [
        ({"last_step": 0}, "last_step"),
        ({"rates": ()}, "rates"),
        ({"rates": ((10, 2_000.0),)}, "rates"),
        ({"rates": ((10, 5.0), (10, 6.0))}, "rates"),
        ({"changes": (Change(30, {"momentum": 0.5}),)}, "changes"),
        ({"changes": (Change(3, {}), Change(2, {}))}, "changes"),
        ({"shown": tuple(range(MOST_SHOWN + 1))}, "shown"),
        ({"keep": tuple(range(MOST_KEPT + 1))}, "keep"),
        ({"keep": (-1,)}, "keep"),
        ({"run_up": 2_000.0}, "run_up"),
        ({"brief": True, "probes": ("weights",)}, "probes"),
    ],
)
def test_what_is_out_of_order_or_range_is_refused_by_name(given, field) -> None:
    with pytest.raises(ValueError, match=field):
        plan(**given)


def test_a_run_up_ends_shortly_before_the_first_change() -> None:
    changes = (Change(40, {"learning_rate": 1.0}), Change(90, {"learning_rate": 0.1}))
    quick = Plan(rates=((50, 10.0),), last_step=99, changes=changes, from_change=True, run_up=300.0)
    assert [quick.rate(step, 0) for step in (0, 24, 25, 40)] == [300, 300, 10, 10]
    assert quick.rate(20, 12) == 10, "after a change, the steps are shown slowly"
    assert Plan(rates=((50, 10.0),), last_step=99, run_up=300.0).rate(0, 0) == 10


def test_rates_count_from_the_start_or_from_the_last_change() -> None:
    fixed, following = plan(), plan(from_change=True)
    assert [fixed.rate(step, 12) for step in (0, 9, 10, 19, 25)] == [5, 5, 40, 40, 40]
    assert [following.rate(step, 12) for step in (12, 21, 22, 40)] == [5, 5, 40, 40]
