"""Group normalization."""

from torch import nn

from bnviz.run_script.parts.setting import AFFINE, EPS, GROUPS, WIDTH, config

keeps_bias = not config.norm_affine


def group(layer):
    """Return group normalization (Wu & He 2018)."""
    return nn.GroupNorm(GROUPS, WIDTH, EPS, AFFINE)
