"""Hand-made comparison of two runs, for the widget *Steps against seconds*."""

from bnviz.config import RunConfig
from bnviz.planned_runs.arrival import arrival
from bnviz.planned_runs.comparison import (
    Comparison,
    ComparisonResult,
    Curve,
    MemberResult,
    VariedValue,
)

NAMES: dict[VariedValue, str] = {"low": "the low rate", "high": "a high rate"}
# Accuracies at steps 0, 10, 20, 30 and 40, by run and network.
ACCURACIES = {
    "low": {"none": (0.1, 0.7, 0.84, 0.91, 0.96), "batch": (0.6, 0.9, 0.95, 0.96, 0.96)},
    "high": {"none": (0.1, 0.1, 0.1, 0.1, 0.1), "batch": (0.86, 0.97, 0.97, 0.97, 0.97)},
}  # fmt: skip
STEPS = (0, 10, 20, 30, 40)
# A step is 1/20 of an epoch. In the second run, the network without BN stopped after 30 steps.
EPOCHS = {"low": {"none": 2.0, "batch": 2.0}, "high": {"none": 1.5, "batch": 2.0}}
# A step takes 2 ms without BN and 3 ms with BN.
SECONDS = {"low": {"none": 0.08, "batch": 0.12}, "high": {"none": 0.06, "batch": 0.12}}
ENOUGH = 0.93


def result() -> ComparisonResult:
    """Return the result of the comparison, with both runs finished."""
    config = RunConfig(learning_rate=0.03)
    settings = {"low": config, "high": config.replace(learning_rate=0.3)}
    comparison = Comparison.of("rates", settings, last_step=40, target_accuracy=ENOUGH)
    members = []
    for key in map(str, settings):
        curves = {
            norm: Curve(
                steps=STEPS, accuracies=shares,
                reached=arrival(dict(zip(STEPS, shares, strict=True)), ENOUGH),
                epochs=(0.0,) * 4 + (EPOCHS[key][norm],),
                seconds=(0.0,) * 4 + (SECONDS[key][norm],),
            )
            for norm, shares in ACCURACIES[key].items()
        }  # fmt: skip
        members.append(MemberResult(value=key, curves=curves))
    return ComparisonResult(comparison=comparison, members=tuple(members))
