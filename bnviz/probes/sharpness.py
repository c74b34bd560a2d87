"""Probe of the loss curvature and the stability edge of gradient descent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.pieces import Pieces
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.lanczos import UNKNOWN, Ends, ends_in_pieces
from bnviz.records import ProbeValues

# Maximum and minimum number of fixed training examples, and maximum number of multiplications,
# which reduces the number of examples in large networks. With BN, normalizing fewer examples
# together makes the loss sharper.
EXAMPLES = 500
FEWEST_EXAMPLES = 250
AFFORDABLE = 6e7
# Limits on the networks and the iteration: the iteration stores a parameter vector per product, and
# autograd stores the graph of the second derivative for all layers.
MOST_PARAMETERS = 1_000_000
MOST_LAYERS = 200
MOST_PRODUCTS = 25
BASIS_BYTES = 128 * 2**20
FEWEST_PRODUCTS = 8
# Allowed error of λ_max relative to itself, and of λ_min relative to max(|λ_max|, |λ_min|).
TOLERANCE = 5e-3
LOW_TOLERANCE = 5e-2
# Length of the random part of the start vector, relative to its gradient part, so that no
# eigenvector is missed.
RANDOM_SHARE = 0.3
# Share of the output layer's gradient. A network is dead if the gradients of its hidden layers are
# below this share.
DEAD = 1e-6


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure the largest eigenvalue of the loss Hessian, and its stability edge.

    The loss is over up to 500 fixed training examples as one mini-batch in training mode, without
    weight decay. A Lanczos iteration on exact Hessian-vector products gives λ_max to about one
    percent. Values that a norm does not differentiate count as constants. With BN the loss is
    sharper if fewer examples are normalized together, as in smaller mini-batches of the run.

    The edge is the learning rate above which gradient descent with heavy-ball momentum β would
    leave a quadratic bowl of this curvature: 2(1 + β)/λ_max (Cohen et al. 2021), divided by the
    common rate factor. It is not a threshold of divergence: networks with and without BN begin
    above the edge and learn.

    Returns:
        `lambda_max`, `lambda_min`: Scalars, NaN if the network takes no step; λ_min is too high by
            up to about 5 % of the larger magnitude of the two.
        `edge`: Scalar, NaN for λ_max ≤ 0, a dead network, Adam or different rate factors.
        `limit`: Scalar, curvature 2(1 + β)/η whose edge is the current rate η; NaN for Adam or
            different rate factors.
        `products`: Scalar, number of Hessian-vector products.
    """
    network, config = context.network, context.config
    if network.flat.numel() > MOST_PARAMETERS or len(network.layer_names) > MOST_LAYERS:
        return {}
    found = (yield from spectrum(context)) if context.takes_step else UNKNOWN
    edge = np.nan if config.stability_edge is None else config.stability_edge
    stable = found.high > 0 and not _dead(context)
    return as_floats(
        lambda_max=found.high,
        lambda_min=found.low,
        edge=edge / found.high if stable else np.nan,
        limit=edge / context.learning_rate,
        products=found.products,
    )


def spectrum(context: ProbeContext) -> Pieces[Ends]:
    """Return the extreme eigenvalues of the Hessian, with one product per piece."""
    generator = context.generator()
    size = len(context.data.train_labels)
    rows = np.sort(generator.permutation(size)[: _examples(context)])
    gradient, product = hessian(context.network, *context.training_examples(rows))
    noise = context.as_input(generator.standard_normal(len(gradient)))
    start = RANDOM_SHARE * noise / torch.linalg.vector_norm(noise)
    length = torch.linalg.vector_norm(gradient)
    if bool(torch.isfinite(length)) and float(length) > 0:
        # The gradient is mostly along the few eigenvectors with large eigenvalues (Gur-Ari et al.
        # 2018), so the eigenvectors of the last measurement are not needed for the start.
        start += gradient / length
    room = BASIS_BYTES // (gradient.element_size() * len(gradient))
    yield
    return (yield from ends_in_pieces(
        product, start, most=int(min(MOST_PRODUCTS, room)), least=FEWEST_PRODUCTS,
        tolerance=TOLERANCE, low_tolerance=LOW_TOLERANCE,
    ))  # fmt: skip


def hessian(
    network: Network, inputs: Tensor, labels: Tensor
) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """Return the flat training-mode gradient, and a function for Hessian-vector products."""
    flat = network.flat.detach().clone().requires_grad_()
    with torch.enable_grad():
        twin = network.twin(flat)
        loss, _ = twin.loss(twin.forward(inputs, training=True).logits, labels)
        (gradient,) = torch.autograd.grad(loss, flat, create_graph=True)

    def product(vector: Tensor) -> Tensor:
        return torch.autograd.grad(gradient, flat, vector, retain_graph=True)[0]

    return gradient.detach(), product


def _examples(context: ProbeContext) -> int:
    affordable = AFFORDABLE // context.products
    return int(np.clip(affordable, FEWEST_EXAMPLES, EXAMPLES))


def _dead(context: ProbeContext) -> bool:
    gradients = context.gradients
    hidden = max(float(layer.weight.double().norm()) for layer in gradients.layers)
    return not hidden > DEAD * float(gradients.output.weight.double().norm())
