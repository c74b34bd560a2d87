"""Distributions as they were at the start, layer by layer: what the present ones are held against.

They travel with every frame that is asked for them, so that whoever begins to watch late, or goes
back in time, has them beside the present ones.
"""

from __future__ import annotations

from bnviz.probes import histogram
from bnviz.probes.context import ProbeContext
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """How the inputs of the nonlinearity were distributed in each layer at step 0.

    Measured as by `histogram`, on the network as it was built.

    Returns:
        `nonlinearity_input` uint16 [L, 64], the same at every step.
    """
    return context.from_start("start_histogram.", _at_start)


def _at_start(context: ProbeContext) -> ProbeValues:
    name = "nonlinearity_input"
    return {name: histogram.measure(context)[name]}
