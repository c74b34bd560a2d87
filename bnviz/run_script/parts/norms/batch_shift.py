"""Batch normalization without γ."""

from bnviz.run_script.parts.norms.batch import batch
from bnviz.run_script.parts.setting import config

keeps_bias = False


def batch_shift(layer):
    """Return batch normalization that learns β only."""
    norm = batch(layer)
    if config.norm_affine:
        norm.weight.requires_grad_(False)
    return norm
