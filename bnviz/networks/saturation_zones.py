"""The flat zones of each nonlinearity: intervals of its input in which a value is saturated.

In those of ReLU a unit is off. A nonlinearity that is not named has none.
"""

import math

_TANH, _SIGMOID = math.atanh(0.9), math.log(19)  # |h| > 0.9; h below 0.05 or above 0.95

FLAT_ZONES: dict[str, tuple[tuple[float, float], ...]] = {
    "sigmoid": ((-math.inf, -_SIGMOID), (_SIGMOID, math.inf)),
    "tanh": ((-math.inf, -_TANH), (_TANH, math.inf)),
    "relu": ((-math.inf, 0.0),),
}
