"""Layer normalization."""

from torch import nn

from bnviz.run_script.parts.setting import AFFINE, EPS, WIDTH, config

keeps_bias = not config.norm_affine


def layer(index):
    """Return layer normalization (Ba, Kiros & Hinton 2016)."""
    if config.network == "conv":
        return nn.GroupNorm(1, WIDTH, EPS, AFFINE)  # one γ and β per feature map
    else:
        return nn.LayerNorm(WIDTH, EPS, AFFINE)
