"""Probe of each layer's distribution at step 0, for viewers who join later or go back in time."""

from __future__ import annotations

from bnviz.probes import histogram
from bnviz.probes.context import ProbeContext
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Return `nonlinearity_input` of the probe `histogram` on the initial network."""
    return context.from_start("start_histogram.", _at_start)


def _at_start(context: ProbeContext) -> ProbeValues:
    name = "nonlinearity_input"
    return {name: histogram.measure(context)[name]}
