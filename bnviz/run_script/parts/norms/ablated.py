"""Batch normalization without some of its parts."""

import torch
from torch import nn

from bnviz.run_script.parts.norms.own_norm import OwnNorm
from bnviz.run_script.parts.setting import (
    ABLATED_LAYERS,
    AFFINE,
    AXES,
    EPS,
    TIMES,
    UNITS,
    config,
)

keeps_bias = config.ablation_bias or (
    config.ablation_statistics == "variance" and not (config.norm_affine and config.ablation_affine)
)


class AblatedBatchNorm(OwnNorm):
    """Batch normalization without some of its parts."""

    def __init__(self):
        learned = AFFINE if config.ablation_affine else False
        averages = {"running_mean": torch.zeros(UNITS), "running_var": torch.ones(UNITS)}
        super().__init__(learned=learned, **averages)

    def forward(self, x):
        mean, var = self.running_mean, self.running_var
        if self.training:
            mean = x.mean(AXES, keepdim=True)
            var = x.var(AXES, correction=0, keepdim=True)
            self.average(running_mean=mean, running_var=x.var(AXES, keepdim=True))
            if not config.ablation_gradient:
                mean, var = mean.detach(), var.detach()  # constants for the gradient
        if config.ablation_statistics == "both":
            normalized = (x - mean) / (var + EPS).sqrt()
        elif config.ablation_statistics == "mean":
            normalized = x - mean
        else:
            normalized = x / (var + EPS).sqrt()
        return self.weight * normalized + self.bias


def ablated(layer):
    """Return batch normalization without some of its parts."""
    if config.ablation_layers:
        if config.network == "recurrent":
            layer = layer % TIMES
        if layer + 1 not in ABLATED_LAYERS:
            return nn.Identity()
    return AblatedBatchNorm()
