"""Batch normalization."""

from torch import nn

from bnviz.run_script.parts.setting import AFFINE, AVERAGING, EPS, WIDTH, config

keeps_bias = False


def batch(layer):
    """Return batch normalization (Ioffe & Szegedy 2015)."""
    if config.network == "conv":
        return nn.BatchNorm2d(WIDTH, EPS, AVERAGING, AFFINE)
    else:
        return nn.BatchNorm1d(WIDTH, EPS, AVERAGING, AFFINE)
