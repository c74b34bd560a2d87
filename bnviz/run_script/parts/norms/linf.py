"""Batch normalization with the largest absolute value."""

from bnviz.run_script.parts.norms.lp import LpNorm
from bnviz.run_script.parts.setting import AXES

keeps_bias = False


def linf(layer):
    """Return batch normalization with the largest absolute value."""
    return LpNorm(lambda sizes: sizes.amax(AXES, keepdim=True))
