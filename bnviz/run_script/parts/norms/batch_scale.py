"""Batch normalization without β."""

from bnviz.run_script.parts.norms.batch import batch
from bnviz.run_script.parts.setting import config

keeps_bias = False


def batch_scale(layer):
    """Return batch normalization that learns γ only."""
    norm = batch(layer)
    if config.norm_affine:
        norm.bias.requires_grad_(False)
    return norm
