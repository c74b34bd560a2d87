"""E5: are the singular values of a normalized layer's Jacobian near 1? (IS15, section 3.3)"""

from __future__ import annotations

import math

import numpy as np
import torch

from bnviz.claims.e05_inference import EXAMPLES
from bnviz.claims.e05_inference import STATEMENTS as IN_THE_LAB
from bnviz.claims.e05_inference import measure as measure_in_the_lab
from bnviz.claims.runs import normal, random_numbers
from bnviz.claims.statement import Claim, Expectation, Statement, about, at_least, at_most, between
from bnviz.config import RunConfig
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.build import build_network
from bnviz.networks.layered import Layered

WIDTH, SAMPLES = 256, 4096
RELU = np.pi / (np.pi - 1)
TANH = 1.178

GAUSSIAN = f"Gaussian W {WIDTH}×{WIDTH}, γ = 1, β = 0, Gaussian inputs, at {EXAMPLES} examples"
ORTHOGONAL = f"tanh, orthogonal W {WIDTH}×{WIDTH}, Gaussian inputs, at {EXAMPLES} examples"
SQUARE = "mean squared singular value"
INSIDE = "share of the singular values within ½ and 2"
CONJECTURE = "Ioffe & Szegedy 2015, section 3.3, a conjecture"

INTEGRALS = "Integrals, without a network."
NO_GAUSSIAN = "The lab has no Gaussian inputs; its layers show the same of the digits."

STATEMENTS = (
    Statement(
        key="close",
        text="The singular values of a normalized layer’s Jacobian are close to 1.",
        setting=f"tanh, {GAUSSIAN}",
        quantity=INSIDE,
        expected=at_least(0.9),
        source=CONJECTURE,
        lead="The singular values of a normalized layer’s Jacobian are close to 1.",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="close-small-gamma",
        text="The singular values are close to 1 where W is orthogonal and γ so small that tanh is "
        "nearly linear.",
        setting=f"{ORTHOGONAL}, γ = 0.2",
        quantity=INSIDE,
        expected=at_least(0.9),
        source="calculation",
        instead_of="close",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="small-gamma-10",
        text="With an orthogonal W and a small γ they lie from 0.94 to 1.04: the 10th percentile.",
        setting=f"{ORTHOGONAL}, γ = 0.2",
        quantity="10th percentile",
        expected=about(0.94, 0.02),
        source="earlier run",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="small-gamma-90",
        text="With an orthogonal W and a small γ they lie from 0.94 to 1.04: the 90th percentile.",
        setting=f"{ORTHOGONAL}, γ = 0.2",
        quantity="90th percentile",
        expected=about(1.04, 0.02),
        source="earlier run",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="orthogonal-10",
        text="An orthogonal W alone is not enough: a tenth lie below 0.23.",
        setting=f"{ORTHOGONAL}, γ = 1",
        quantity="10th percentile",
        expected=about(0.23, 0.1),
        source="earlier run",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="orthogonal-inside",
        text="An orthogonal W alone is not enough: three quarters lie within ½ and 2.",
        setting=f"{ORTHOGONAL}, γ = 1",
        quantity=INSIDE,
        expected=about(0.75, 0.05),
        source="earlier run",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="square-relu",
        text="The singular values’ mean square is E[φ′²]/Var[φ]: π/(π − 1) for ReLU.",
        setting=f"ReLU, {GAUSSIAN}",
        quantity=SQUARE,
        expected=about(RELU, 0.05),
        source="calculation",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="square-tanh",
        text="The singular values’ mean square is E[φ′²]/Var[φ]: 1.178 for tanh.",
        setting=f"tanh, {GAUSSIAN}",
        quantity=SQUARE,
        expected=about(TANH, 0.05),
        source="calculation",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="square-linear",
        text="The singular values’ mean square is E[φ′²]/Var[φ]: 1 for a linear layer.",
        setting=f"linear, {GAUSSIAN}",
        quantity=SQUARE,
        expected=about(1, 0.05),
        source="calculation",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="never-below-1",
        text="E[φ′²]/Var[φ] is never below 1.",
        setting="every nonlinearity, γ drawn from 0.1 to 3, by quadrature",
        quantity="smallest ratio",
        expected=Expectation(1 - 1e-9, math.inf, "≥ 1 − 1e-9"),
        source="calculation",
        watch=INTEGRALS,
    ),
    Statement(
        key="smallest",
        text="The values spread: the smallest is near 0.",
        setting=f"tanh, {GAUSSIAN}",
        quantity="smallest singular value",
        expected=at_most(0.1),
        source="earlier run",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="largest",
        text="The values spread: the largest lies between 2 and 3.",
        setting=f"tanh, {GAUSSIAN}",
        quantity="largest singular value",
        expected=between(2, 3),
        source="earlier run",
        watch=NO_GAUSSIAN,
    ),
    Statement(
        key="zeros",
        text="For ReLU half of the singular values are exactly 0.",
        setting=f"ReLU, {GAUSSIAN}",
        quantity="share below 1e-12 of the largest",
        expected=about(0.5, 0.1),
        source="calculation",
        watch=NO_GAUSSIAN,
    ),
    *IN_THE_LAB,
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    tanh, relu, linear = (_values(seed, name) for name in ("tanh", "relu", "linear"))
    small = _values(seed, "tanh", init="orthogonal", gamma=0.2)
    orthogonal = _values(seed, "tanh", init="orthogonal")
    low, high = np.quantile(small, (0.1, 0.9))
    return {
        "close": _inside(tanh),
        "close-small-gamma": _inside(small),
        "small-gamma-10": float(low),
        "small-gamma-90": float(high),
        "orthogonal-10": float(np.quantile(orthogonal, 0.1)),
        "orthogonal-inside": _inside(orthogonal),
        "square-relu": float(np.mean(relu**2)),
        "square-tanh": float(np.mean(tanh**2)),
        "square-linear": float(np.mean(linear**2)),
        "never-below-1": _smallest_ratio(seed),
        "smallest": float(tanh.min()),
        "largest": float(tanh.max()),
        "zeros": float(np.mean(relu <= 1e-12 * relu.max())),
        **measure_in_the_lab(seed),
    }


def _values(seed: int, activation: str, *, init: str = "normal", gamma: float = 1.0) -> np.ndarray:
    """Singular values of the Jacobian from one BN layer's x̂ to the next one's, inference mode.

    The running statistics are those of the whole sample.
    """
    config = RunConfig(
        depth=2, width=WIDTH, activation=activation, init=init, norm_momentum=1.0, seed=seed
    )
    network = build_network(config, "batch", WIDTH, 10, dtype=torch.float64)
    assert isinstance(network, Layered)
    network.parameters()["layer 1.gamma"].fill_(gamma)
    inputs = normal(random_numbers(seed, 5), SAMPLES, WIDTH)
    network.update_statistics(network.forward(inputs, training=True))
    first = network.forward(inputs[:EXAMPLES], training=False).layers[0]
    slope = gamma * network.activation.derivative(first.nonlinearity_input, first.activation)
    second = network.layers[1]
    scale = second.norm.inference_jacobian(torch.zeros(WIDTH, dtype=torch.float64))
    jacobians = scale[:, None] * second.weight * slope[:, None, :]
    return torch.linalg.svdvals(jacobians).numpy().ravel()


def _inside(values: np.ndarray) -> float:
    return float(np.mean((values >= 0.5) & (values <= 2)))


def _smallest_ratio(seed: int) -> float:
    """Of E[φ′(γz)²γ²] ÷ Var[φ(γz)], z ~ N(0, 1), over the nonlinearities."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / weights.sum()
    gamma = random_numbers(seed, 5).uniform(0.1, 3)
    z = torch.from_numpy(gamma * nodes)
    ratios = []
    for phi in ACTIVATIONS.values():
        found = phi.forward(z)
        slope, value = (gamma * phi.derivative(z, found)).numpy(), found.numpy()
        variance = weights @ value**2 - (weights @ value) ** 2
        ratios.append(float(weights @ slope**2 / variance))
    return min(ratios)


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="J = diag(1/σ)·W·diag(γφ′), from one normalized layer to the next, in inference mode. The "
    "formula of the mean square is that of square W and decorrelated inputs. BN does not "
    "decorrelate them.",
)
