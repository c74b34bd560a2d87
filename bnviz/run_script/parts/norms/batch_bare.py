"""Batch normalization without γ and β."""

from torch import nn

from bnviz.run_script.parts.setting import AVERAGING, EPS, WIDTH, config

keeps_bias = False


def batch_bare(layer):
    """Return batch normalization without γ and β."""
    if config.network == "conv":
        return nn.BatchNorm2d(WIDTH, EPS, AVERAGING, affine=False)
    else:
        return nn.BatchNorm1d(WIDTH, EPS, AVERAGING, affine=False)
