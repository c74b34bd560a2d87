"""Flat zones per nonlinearity: intervals of the input in which the output is saturated."""

import math

# absolute inputs at which |tanh| is 0.9, and at which sigmoid is 0.05 or 0.95
_TANH, _SIGMOID = math.atanh(0.9), math.log(19)

FLAT_ZONES: dict[str, tuple[tuple[float, float], ...]] = {
    "sigmoid": ((-math.inf, -_SIGMOID), (_SIGMOID, math.inf)),
    "tanh": ((-math.inf, -_TANH), (_TANH, math.inf)),
    "relu": ((-math.inf, 0.0),),
}
