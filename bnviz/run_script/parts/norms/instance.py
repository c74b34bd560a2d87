"""Instance normalization."""

from torch import nn

from bnviz.run_script.parts.setting import AFFINE, EPS, WIDTH, config

keeps_bias = not config.norm_affine


def instance(layer):
    """Return instance normalization (Ulyanov, Vedaldi & Lempitsky 2016)."""
    return nn.InstanceNorm2d(WIDTH, EPS, affine=AFFINE)
