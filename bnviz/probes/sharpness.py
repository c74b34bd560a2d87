"""The curvature of the loss, and the learning rate at which it would throw gradient descent out."""

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

# The loss is that of so many fixed training examples, of fewer in networks of many weights: there
# the mini-batch normalized together is smaller, which alone makes BN's loss sharper.
EXAMPLES = 500
FEWEST_EXAMPLES = 250
AFFORDABLE = 6e7
# Networks beyond this are not measured: the iteration keeps a vector of parameters a product, and
# autograd the whole second derivative.
MOST_PARAMETERS = 1_000_000
MOST_LAYERS = 200
MOST_PRODUCTS = 25
BASIS_BYTES = 128 * 2**20
FEWEST_PRODUCTS = 8
# Errors allowed: of λ_max as a share of itself, of λ_min as a share of the larger of both.
TOLERANCE = 5e-3
LOW_TOLERANCE = 5e-2
# Of the start vector, besides the gradient's direction: random, so that no eigenvector is missed.
RANDOM_SHARE = 0.3
# A network whose hidden layers get less than this share of the output's gradient is dead.
DEAD = 1e-6


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """The largest eigenvalue of the loss Hessian, and the edge of stability that goes with it.

    By all parameters, of the loss of up to 500 fixed training examples as one mini-batch in
    training mode, by a Lanczos iteration on exact Hessian-vector products; λ_max to about one
    percent. Weight decay is not part of the loss. What a norm does not differentiate counts as
    constant. With BN the loss is sharper the fewer examples are normalized together: that of the
    run's own mini-batches is sharper than this one where they are smaller.

    The edge is the rate above which gradient descent, with heavy-ball momentum β, would leave a
    quadratic bowl of this curvature: 2(1 + β)/λ_max (Cohen et al. 2021), divided by the factor of
    all rates. It holds at this step and is not a threshold of divergence: networks start above it,
    with BN and without, and learn.

    Returns:
        float32 scalars `lambda_max`, `lambda_min` (too high, by up to about 5 % of the larger of
        both in size); `edge`, NaN for Adam, with rate factors that differ, where λ_max is not above
        zero, and for a network that is dead; `limit`, the curvature whose edge is the present rate,
        2(1 + β)/η, NaN for Adam and with rate factors that differ;
        `products`, Hessian-vector products taken. Curvatures and edge are NaN where the network
        takes no step. Nothing for networks of over a million parameters or 200 layers.
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
    """Both ends of the Hessian's spectrum, a product a piece."""
    generator = context.generator()
    size = len(context.data.train_labels)
    rows = np.sort(generator.permutation(size)[: _examples(context)])
    gradient, product = hessian(context.network, *context.training_examples(rows))
    noise = context.as_input(generator.standard_normal(len(gradient)))
    start = RANDOM_SHARE * noise / torch.linalg.vector_norm(noise)
    length = torch.linalg.vector_norm(gradient)
    if bool(torch.isfinite(length)) and float(length) > 0:
        # The gradient lies mostly along the few eigenvectors of large eigenvalues (Gur-Ari et al.
        # 2018), so that no eigenvector need be kept from the last measurement.
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
    """The flat gradient of the training-mode loss, and the product of its Hessian with a vector.

    Both by autograd, on a twin; the graph of the gradient is built once.
    """
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
    """Whether (almost) no gradient reaches the hidden layers."""
    gradients = context.gradients
    hidden = max(float(layer.weight.double().norm()) for layer in gradients.layers)
    return not hidden > DEAD * float(gradients.output.weight.double().norm())
