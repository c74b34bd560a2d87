"""ZCA whitening."""

import torch

from bnviz.run_script.parts.norms.whitening import GROUP_SIZE, Whitening
from bnviz.run_script.parts.setting import EPS

keeps_bias = False


class InverseRoot(torch.autograd.Function):
    """W = Σ^(-1/2). Its derivative solves W·dW + dW·W = -W²·dΣ·W², also for equal eigenvalues."""

    @staticmethod
    def forward(ctx, covariance):
        if not covariance.isfinite().all():
            return torch.full_like(covariance, torch.nan)  # the network has diverged
        values, vectors = torch.linalg.eigh(covariance)
        roots = values.rsqrt()
        root = (vectors * roots) @ vectors.mT
        ctx.save_for_backward(root, vectors, roots)
        return root

    @staticmethod
    def backward(ctx, droot):
        root, vectors, roots = ctx.saved_tensors
        inner = vectors.mT @ (droot + droot.mT) @ vectors / 2
        middle = vectors @ (inner / (roots[:, None] + roots)) @ vectors.mT
        return -root @ root @ middle @ root @ root


class ZCANorm(Whitening):
    """ZCA whitening over the mini-batch (Huang et al. 2018)."""

    def whiten(self, covariance, count):
        # The covariance is shrunk towards its mean variance: few examples do not determine it.
        share = min(max((GROUP_SIZE / count) ** 3, 1e-4), 1.0)
        identity = torch.eye(len(covariance))
        variance = covariance.trace() / len(covariance)
        shrunk = (1 - share) * covariance + (share * variance + EPS) * identity
        return InverseRoot.apply(shrunk)


def zca(layer):
    """Return ZCA whitening."""
    return ZCANorm()
