"""A plan as JSON, from the hub to a worker and to browsers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from bnviz.live.protocol.frames import plain_change, read_change
from bnviz.plan import Plan


def plain_plan(plan: Plan | None) -> dict[str, Any] | None:
    """A plan for JSON, by the names of its fields."""
    if plan is None:
        return None
    found = {field.name: getattr(plan, field.name) for field in dataclasses.fields(plan)}
    return {**found, "changes": [plain_change(change) for change in plan.changes]}


def read_plan(given: Mapping[str, Any] | None) -> Plan | None:
    """The plan of a plain one."""
    if given is None:
        return None
    rates = tuple((int(until), float(rate)) for until, rate in given["rates"])
    steps = {name: tuple(given[name]) for name in ("shown", "keep", "probes")}
    return Plan(
        **{**given, **steps, "rates": rates, "changes": tuple(map(read_change, given["changes"]))}
    )
