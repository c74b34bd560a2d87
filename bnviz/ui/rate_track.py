"""Coloured track of the learning-rate slider: which networks learn from each initial rate."""

from __future__ import annotations

from typing import Any

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.planned_runs.started_rates import BATCH_SIZES, RateSpan, rate_spans, started_rates

# Knobs that may differ from the measured runs: the learning rate is the track's axis, batch sizes
# have their own rows, and the results are counted over several seeds.
MAY_DIFFER = ("learning_rate", "batch_size", "seed", "device")


def painted_track(config: RunConfig) -> dict[str, Any] | None:
    """Data of a run's coloured learning-rate track, or None for settings that were not measured.

    Returns:
        `rows` are ranges of learning rates for each batch size. The `token` of a range is "both",
        "only_<network>", "neither", "slow" or "mixed". `holds` are the values that other live knobs
        must have.
    """
    if not config.changed().keys() <= {*MAY_DIFFER, *LIVE_KNOBS}:
        return None
    usual, found = RunConfig(), started_rates()
    return {
        "rows": {size: [_part(span) for span in rate_spans(found, size)] for size in BATCH_SIZES},
        "holds": {name: getattr(usual, name) for name in LIVE_KNOBS if name not in MAY_DIFFER},
        "steps": found["steps"], "seeds": found["seeds"],
    }  # fmt: skip


def _part(span: RateSpan) -> dict[str, Any]:
    if span.learn is None:
        token = "mixed"
    elif len(span.learn) > 1:
        token = "both"
    elif span.learn:
        token = f"only_{span.learn[0]}"
    else:
        token = "neither" if span.broke else "slow"
    return {"first": span.first, "last": span.last, "token": token}
