"""Batch normalization with a part of what it learns: γ alone, β alone, or neither.

All else is `BatchNorm`'s, its fast pass included. Where γ is missing it is 1, where β is missing 0.
None of them keeps a bias in the layer before: the mean takes out any constant. A recurrent network
has one bias in place of every β, so that there they would not be what they are called.
"""

from __future__ import annotations

from typing import ClassVar

from bnviz.norms.base import Initial
from bnviz.norms.batch import BatchNorm


class BatchNormScale(BatchNorm):
    """Batch normalization that learns a scale and no shift: y = γ x̂.

    Ioffe & Szegedy 2015, Alg. 1, with β = 0. Every unit has mean 0 over the mini-batch.
    """

    name = "batch_scale"
    initial_parameters: ClassVar[Initial] = {"gamma": 1.0}


class BatchNormShift(BatchNorm):
    """Batch normalization that learns a shift and no scale: y = x̂ + β.

    Ioffe & Szegedy 2015, Alg. 1, with γ = 1. Every unit has spread 1 over the mini-batch.
    """

    name = "batch_shift"
    initial_parameters: ClassVar[Initial] = {"beta": 0.0}


class BatchNormBare(BatchNorm):
    """Batch normalization that learns nothing: y = x̂.

    Ioffe & Szegedy 2015, Alg. 1, with γ = 1 and β = 0. Every unit has mean 0 and spread 1 over the
    mini-batch.
    """

    name = "batch_bare"
    initial_parameters: ClassVar[Initial] = {}
