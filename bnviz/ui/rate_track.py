"""What is painted on the track of the learning rate: which networks learn when started there."""

from __future__ import annotations

from typing import Any

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.planned_runs.started_rates import BATCH_SIZES, RateSpan, rate_spans, started_rates

# Knobs that may differ from the measured runs: the track is about one, has a row for each value of
# another, and says that it is about several seeds.
MAY_DIFFER = ("learning_rate", "batch_size", "seed", "device")


def painted_track(config: RunConfig) -> dict[str, Any] | None:
    """The measured rows for the slider of a run; None where none were measured.

    Returns:
        `rows`: by batch size, spans with their `token`: "both", "only_" and a network, "neither",
        "slow" or "mixed"; `holds`: the values that other live knobs must have; `steps`, `seeds`.
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
