"""IterNorm."""

import torch

from bnviz.run_script.parts.norms.whitening import Whitening
from bnviz.run_script.parts.setting import EPS

keeps_bias = False


class IterNorm(Whitening):
    """Whitening by five Newton iterations (Huang et al. 2019)."""

    def whiten(self, covariance, count):
        covariance = covariance + EPS * torch.eye(len(covariance))
        trace = covariance.trace()
        scaled, power = covariance / trace, torch.eye(len(covariance))
        for _ in range(5):
            power = (3 * power - power @ power @ power @ scaled) / 2
        return power / trace.sqrt()


def iternorm(layer):
    """Return IterNorm."""
    return IterNorm()
