"""Batch normalization that learns γ only, β only, or neither.

Everything else is inherited from `BatchNorm`. A missing γ is 1, and a missing β is 0. The preceding
layer has no bias, because the norm subtracts the mean. Recurrent networks are excluded: one bias
replaces all their β, so these names would not fit.
"""

from __future__ import annotations

from typing import ClassVar

from bnviz.norms.base import Initial
from bnviz.norms.batch import BatchNorm


class BatchNormScale(BatchNorm):
    """y = γ x̂ (Ioffe & Szegedy 2015, Alg. 1, with β = 0). The batch means of y are 0."""

    name = "batch_scale"
    initial_parameters: ClassVar[Initial] = {"gamma": 1.0}


class BatchNormShift(BatchNorm):
    """y = x̂ + β (Ioffe & Szegedy 2015, Alg. 1, with γ = 1). The standard deviations of y are 1."""

    name = "batch_shift"
    initial_parameters: ClassVar[Initial] = {"beta": 0.0}


class BatchNormBare(BatchNorm):
    """y = x̂ (Ioffe & Szegedy 2015, Alg. 1, with γ = 1 and β = 0), without learned parameters."""

    name = "batch_bare"
    initial_parameters: ClassVar[Initial] = {}
