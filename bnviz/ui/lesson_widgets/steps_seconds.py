"""The widget *Steps against seconds*: the same measured curves by either clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from bnviz.charts.theme import theme
from bnviz.planned_runs.comparison import ComparisonResult, Curve, Value
from bnviz.ui.lesson_widgets.widget import WidgetState

# The network whose step is the unit of the price, and the one whose step has one.
PLAIN, PRICED = "none", "batch"
# Of a step with BN, in steps without it.
LEAST_PRICE, MOST_PRICE = 1.0, 3.0
# Accuracies until which can be looked, besides that at which the runs stopped.
EARLIER = (0.8, 0.85, 0.9)
# Of a number that is sent: more than are shown, so that it is rounded once.
DIGITS = 9

_Steps = Annotated[float, Field(ge=0)] | None


class StepsSecondsState(WidgetState):
    """What the visitor has chosen, and what follows from the curves.

    Attributes:
        run: the name of the setting that is looked at.
        by: what the curves stand over.
        until: the accuracy, 0 to 1.
        price: of a step with BN, in plain steps.
        plain, batch: the steps that each network needed; None: it did not get there.
        ratio: how long BN took, by how long the plain one took; None where one did not get there.
        even: the price at which both would take as long.
    """

    run: Annotated[str, Field(max_length=40)]
    by: Literal["steps", "examples", "epochs", "seconds"]
    until: Annotated[float, Field(ge=0, le=1)]
    price: Annotated[float, Field(ge=0, le=1000)]
    plain: _Steps
    batch: _Steps
    ratio: _Steps
    even: _Steps


def steps_seconds_data(
    result: ComparisonResult, names: Mapping[Value, str], labels: Mapping[str, str],
    run: Value = "",
) -> dict[str, Any]:  # fmt: skip
    """The data of the widget.

    Args:
        result: of runs in which a plain network and one with BN were trained; at least one.
        names: of the runs, by value.
        labels: of the networks, by norm.
        run: the one that is shown at first; the first if there is none of that name.
    """
    config, until = result.members[0].member.config, result.members[0].member.until or 1.0
    per_step = epochs_a_step(result)
    costs = {norm: seconds_a_step(result, norm, per_step) for norm in (PLAIN, PRICED)}
    price = costs[PRICED] / costs[PLAIN] if costs[PLAIN] > 0 else 1.0
    return {
        "runs": [
            {
                "key": str(each.member.value),
                "label": names.get(each.member.value, str(each.member.value)),
                "curves": {norm: _plain(each.curves[norm]) for norm in (PLAIN, PRICED)},
            }
            for each in result.members
        ],
        "labels": dict(labels),
        "start": str(run),
        "batch": config.batch_size,
        "epoch": 1 / per_step if per_step else 0,
        "second": costs[PLAIN],
        "measured": price,
        "prices": [min(LEAST_PRICE, price), max(MOST_PRICE, price)],
        "levels": [*(level for level in EARLIER if level < until), until],
        "colours": {
            "dark" if dark else "light": {
                norm: {"line": style.line, "text": style.text, "dash": style.dash}
                for norm, style in theme(dark).networks(config.norms).items()
            }
            for dark in (False, True)
        },
    }


def epochs_a_step(result: ComparisonResult) -> float:
    """The part of an epoch that a step is."""
    return max(
        (curve.epochs[-1] / curve.steps[-1] for curve in _curves(result) if curve.steps[-1]),
        default=0.0,
    )


def seconds_a_step(result: ComparisonResult, norm: str, per_step: float) -> float:
    """The mean time of a network's step over all runs; a network that stopped took fewer."""
    curves = [each.curves[norm] for each in result.members]
    steps = sum(curve.epochs[-1] for curve in curves) / per_step if per_step else 0.0
    return sum(curve.seconds[-1] for curve in curves) / steps if steps else 0.0


def _curves(result: ComparisonResult) -> list[Curve]:
    return [curve for each in result.members for curve in each.curves.values()]


def _plain(curve: Curve) -> dict[str, list[float]]:
    return {
        "steps": [float(step) for step in curve.steps],
        "accuracies": [round(share, DIGITS) for share in curve.accuracies],
    }
