"""Ghost batch normalization."""

import torch

from bnviz.run_script.parts.norms.own_norm import OwnNorm
from bnviz.run_script.parts.setting import AXES, EPS, GHOST_SIZE, UNITS

keeps_bias = False


class GhostBatchNorm(OwnNorm):
    """Batch normalization with statistics of parts of the mini-batch (Hoffer et al. 2017)."""

    def __init__(self):
        super().__init__(running_mean=torch.zeros(UNITS), running_var=torch.ones(UNITS))

    def forward(self, x):
        if not self.training:
            normalized = (x - self.running_mean) / (self.running_var + EPS).sqrt()
            return self.weight * normalized + self.bias
        parts = x.tensor_split(max(len(x) // GHOST_SIZE, 1))
        centred = [part - part.mean(AXES, keepdim=True) for part in parts]
        variances = [(part**2).mean(AXES, keepdim=True) for part in centred]
        normalized = torch.cat(
            [part / (var + EPS).sqrt() for part, var in zip(centred, variances, strict=True)]
        )
        # The running variance is the unbiased variance within the parts.
        squares = (torch.cat(centred) ** 2).sum(AXES, keepdim=True)
        within = squares / max(x[:, 0].numel() - len(parts), 1)
        self.average(running_mean=x.mean(AXES, keepdim=True), running_var=within)
        return self.weight * normalized + self.bias


def ghost(layer):
    """Return ghost batch normalization."""
    return GhostBatchNorm()
