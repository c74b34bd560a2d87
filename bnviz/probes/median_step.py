"""Probe of how far one step moves the median of each unit's nonlinearity input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnviz.pieces import Pieces
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure how far the next step moves the median of each unit's nonlinearity input.

    The probe set is used in training mode, before and after the update on the next mini-batch. The
    update is not taken, so nothing has to be stored between measurements.

    Returns:
        `change`: Scalar, |median after − median now|, mean over all units of all layers.
        `relative`: Scalar, `change` ÷ mean standard deviation of a unit's current values.
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
