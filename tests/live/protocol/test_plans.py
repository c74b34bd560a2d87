"""Plans on their way from the hub to a worker."""

import orjson

from bnviz.live.protocol.plans import plain_plan, read_plan
from bnviz.plan import Plan
from bnviz.records import Change


def test_a_plan_is_the_same_after_its_way() -> None:
    whole = Plan(
        rates=((10, 5.0), (20, 40.0)), last_step=30, shown=(1, 2), keep=(0,), from_change=True,
        changes=(Change(3, {"learning_rates": (0.1, 1.0)}), Change(4, {"momentum": 0.5})),
        until=0.9, probes=("rank",),
    )  # fmt: skip
    short = Plan(rates=((0, 1.0),), last_step=3)
    for plan in (whole, short, None):
        assert read_plan(orjson.loads(orjson.dumps(plain_plan(plan)))) == plan
