"""Batch normalization with the mean absolute value."""

from bnviz.run_script.parts.norms.lp import LpNorm
from bnviz.run_script.parts.setting import AXES

keeps_bias = False


def l1(layer):
    """Return batch normalization with the mean absolute value."""
    return LpNorm(lambda sizes: sizes.mean(AXES, keepdim=True))
