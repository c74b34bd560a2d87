"""How far one step moves the middle of what each unit gets: shift of inputs, step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnviz.pieces import Pieces
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """How far the next step moves the median of what each unit's nonlinearity gets.

    On the probe set, in training mode, with the noise that a norm draws at either step: now, and
    after the next update of the network on the mini-batch about to be used, which is not taken. So
    nothing has to be remembered from one measurement to the next. Knobs that are set before that
    update are not foreseen. Of a convolution a feature map is a unit, with all its places; of a
    recurrent network a unit counts at every time step.

    Returns:
        `change` float32 scalar: |median after − median now|, the mean over all units of all layers;
        `relative` float32 scalar: that ÷ the mean standard deviation of a unit's values now.
    """
    twin = context.network.twin(context.next_flat)
    twin.step = context.step + 1
    moved = replace(context, step=context.step + 1, network=twin, memory={})
    yield
    yield from moved.compute_pass("probe_training")
    with np.errstate(all="ignore"):
        now = context.nonlinearity_inputs
        medians = []
        for inputs in (now, moved.nonlinearity_inputs):
            medians.append(np.median(inputs, axis=1))
            yield
        change = np.abs(medians[1] - medians[0]).mean(dtype=np.float64)
        std = now.std(axis=1, dtype=np.float64).mean()
        return as_floats(change=change, relative=change / std)
