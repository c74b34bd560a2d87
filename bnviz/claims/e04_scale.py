"""E4: a layer before batch normalization does not know how large its weights are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from bnviz.claims import e04_turning
from bnviz.claims.runs import random_numbers
from bnviz.claims.statement import Claim, Statement, Watch, at_least, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered
from bnviz.networks.trace import Gradients

STEPS, PAIRED_STEPS = 100, 20
LAYER = 1  # the middle one of three
FACTORS, ORDERS = 30, 6
RATE, PAIRED_FACTOR = 0.3, 3.0

NETWORK = "tanh 3×32, ε = 0, float64"
SCALED = f"{NETWORK}; second layer, {FACTORS} a drawn, their logarithm uniform, from 1e-6 to 1e6"
GROWN = f"{NETWORK}; {STEPS} steps at {RATE:g}"
PAIRED = (
    f"{NETWORK}; only the second layer learns, {PAIRED_STEPS} steps at {RATE:g}, "
    f"a = {PAIRED_FACTOR:g}"
)
PAPER = "Ioffe & Szegedy 2015"
EFFECTIVE = "van Laarhoven 2017; Arora et al. 2018"
CALCULATION = "calculation"

KNOBS: dict[str, Any] = {"depth": 3, "width": 32, "norm_eps": 0.0, "learning_rate": RATE}
MOMENTUM_KNOBS = {**KNOBS, "momentum": 0.5}
DECAY_KNOBS = {**KNOBS, "weight_decay": 0.01}
NOT_MULTIPLIED = "The lab multiplies no weights."
NO_ANGLES = "The lab does not show the angle between weights and gradient."


def _watch(knobs: dict[str, Any]) -> Watch:
    return Watch(knobs, ("weights",), STEPS)


def _first(found: str) -> str:
    return f"Declared first for a single a drawn from 0.2 to 5; {found} was found."


STATEMENTS = (
    Statement(
        key="loss",
        text="With ε = 0, multiplying the weights of a layer by any a > 0 leaves the loss as it "
        "is.",
        setting=SCALED,
        quantity="largest |Δloss| ÷ loss",
        expected=at_most(1e-10),
        source=PAPER,
        lead="With ε = 0, multiplying the weights before BN by any positive number leaves the loss "
        "as it is.",
        changed=_first("0 (0 to 5e-16)"),
        watch=NOT_MULTIPLIED,
    ),
    Statement(
        key="below",
        text="With ε = 0, multiplying the weights of a layer by any a > 0 leaves the gradient by "
        "the layer’s input as it is.",
        setting=SCALED,
        quantity="largest ‖Δ∂loss/∂h‖ ÷ ‖∂loss/∂h‖",
        expected=at_most(1e-10),
        source=PAPER,
        changed=_first("6e-16"),
        watch=NOT_MULTIPLIED,
    ),
    Statement(
        key="weight",
        text="With ε = 0, multiplying the weights of a layer by any a > 0 divides their gradient "
        "by a.",
        setting=SCALED,
        quantity="largest ‖a∇(aW) − ∇(W)‖ ÷ ‖∇(W)‖",
        expected=at_most(1e-10),
        source=PAPER,
        changed=_first("5e-16 (4e-16 to 5e-16)"),
        watch=NOT_MULTIPLIED,
    ),
    Statement(
        key="negative",
        text="With a < 0 the normalized values change their sign and nothing else: BN does not "
        "know how large weights are, but which way they point.",
        setting=f"{SCALED}, each with a minus sign",
        quantity="largest ‖x̂(−aW) + x̂(W)‖ ÷ ‖x̂(W)‖",
        expected=at_most(1e-10),
        source=CALCULATION,
        watch=NOT_MULTIPLIED,
    ),
    Statement(
        key="orthogonal",
        text="The gradient is orthogonal to the weights of each unit.",
        setting=f"{NETWORK}; every hidden unit",
        quantity="largest |w·∇w| ÷ ‖w‖‖∇w‖",
        expected=at_most(1e-10),
        source=CALCULATION,
        watch=NO_ANGLES,
    ),
    Statement(
        key="not-orthogonal",
        text="Without a norm the gradient is not orthogonal to the weights.",
        setting="tanh 3×32, float64, no norm; every hidden unit",
        quantity="median |w·∇w| ÷ ‖w‖‖∇w‖",
        expected=at_least(0.01),
        source=CALCULATION,
        watch=NO_ANGLES,
    ),
    Statement(
        key="growth",
        text="Under gradient descent ‖w_t‖² = ‖w_0‖² + η²Σ‖g‖²: weights only grow.",
        setting=f"{GROWN}, no momentum, no weight decay",
        quantity="largest deviation of a layer ÷ η²Σ‖g‖²",
        expected=at_most(1e-8),
        source=EFFECTIVE,
        watch=_watch(KNOBS),
    ),
    Statement(
        key="growth-momentum",
        text="With momentum that sum is not exact.",
        setting=f"{GROWN}, momentum {MOMENTUM_KNOBS['momentum']}",
        quantity="smallest deviation of a layer ÷ η²Σ‖g‖²",
        expected=at_least(0.1),
        source=CALCULATION,
        watch=_watch(MOMENTUM_KNOBS),
    ),
    Statement(
        key="growth-decay",
        text="With weight decay that sum is not exact either.",
        setting=f"{GROWN}, weight decay {DECAY_KNOBS['weight_decay']}",
        quantity="smallest deviation of a layer ÷ η²Σ‖g‖²",
        expected=at_least(0.1),
        source=CALCULATION,
        watch=_watch(DECAY_KNOBS),
    ),
    Statement(
        key="effective-rate",
        text="What counts is η/‖w‖²: weights a times as large learn alike at a rate a² times as "
        "high.",
        setting=PAIRED,
        quantity="largest |Δloss| ÷ loss",
        expected=at_most(1e-8),
        source=EFFECTIVE,
        watch=NOT_MULTIPLIED,
    ),
    Statement(
        key="same-rate",
        text="At the same rate weights a times as large learn more slowly.",
        setting=PAIRED,
        quantity="decrease of the loss ÷ that of the weights as they were",
        expected=at_most(1),
        source=EFFECTIVE,
        watch=NOT_MULTIPLIED,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    experiment = _experiment(seed, KNOBS)
    network, plain = _network(experiment, "batch"), _network(experiment, "none")
    inputs, labels = _batch(experiment)
    factors = 10.0 ** random_numbers(seed, 4).uniform(-ORDERS, ORDERS, FACTORS)
    each = [_scaled(network, inputs, labels, factor) for factor in factors]
    values = {key: max(found[key] for found in each) for key in each[0]}
    values["orthogonal"] = float(_cosines(network, inputs, labels).max())
    values["not-orthogonal"] = float(_cosines(plain, inputs, labels).median())
    values |= _paired(network, inputs, labels)
    values["growth"] = float(_growth_errors(_experiment(seed, KNOBS)).max())
    values["growth-momentum"] = float(_growth_errors(_experiment(seed, MOMENTUM_KNOBS)).min())
    values["growth-decay"] = float(_growth_errors(_experiment(seed, DECAY_KNOBS)).min())
    return values


def _experiment(seed: int, knobs: dict[str, Any]) -> Experiment:
    return Experiment(RunConfig(seed=seed, **knobs), dtype=torch.float64)


def _network(experiment: Experiment, norm: str) -> Layered:
    network = experiment.networks[norm]
    assert isinstance(network, Layered)
    return network


def _batch(experiment: Experiment) -> tuple[Tensor, Tensor]:
    size = experiment.config.batch_size
    inputs = torch.from_numpy(experiment.data.train_inputs[:size]).double()
    return inputs, torch.from_numpy(experiment.data.train_labels[:size])


def _gradients(network: Layered, inputs: Tensor, labels: Tensor) -> tuple[float, Gradients]:
    return network.backward(network.forward(inputs, training=True), labels)


def _scaled(network: Layered, inputs: Tensor, labels: Tensor, factor: float) -> dict[str, float]:
    weight = network.layers[LAYER].weight
    loss, before = _gradients(network, inputs, labels)
    kept = weight.clone()
    upright = _normalized(network, inputs)
    weight.mul_(factor)
    scaled_loss, after = _gradients(network, inputs, labels)
    weight.neg_()
    reversed_ = _normalized(network, inputs)
    weight.copy_(kept)
    below, scaled_below = (found.layers[LAYER - 1].activation for found in (before, after))
    own, scaled_own = (found.layers[LAYER].weight for found in (before, after))
    return {
        "loss": abs(scaled_loss - loss) / loss,
        "below": float((scaled_below - below).norm() / below.norm()),
        "weight": float((factor * scaled_own - own).norm() / own.norm()),
        "negative": float((reversed_ + upright).norm() / upright.norm()),
    }


def _normalized(network: Layered, inputs: Tensor) -> Tensor:
    """The layer's x̂, which is what its nonlinearity gets while γ = 1 and β = 0."""
    return network.forward(inputs, training=True).layers[LAYER].nonlinearity_input


def _cosines(network: Layered, inputs: Tensor, labels: Tensor) -> Tensor:
    """|cosine| between weights and gradient of every hidden unit."""
    _, gradients = _gradients(network, inputs, labels)
    pairs = zip(network.layers, gradients.layers, strict=True)
    return torch.cat(
        [torch.cosine_similarity(layer.weight, found.weight, dim=1).abs() for layer, found in pairs]
    )


def _growth_errors(experiment: Experiment) -> Tensor:
    """|‖w_t‖² − ‖w_0‖² − η²Σ‖g‖²| ÷ η²Σ‖g‖² of each hidden layer of the BN network."""
    network = _network(experiment, "batch")
    layers = network.layers
    views = network.views(experiment.learners["batch"].stepper.gradient)
    start = _squares(layer.weight for layer in layers)
    total = torch.zeros(len(layers), dtype=torch.float64)
    for _ in range(STEPS):
        experiment.step()
        total += _squares(views[f"{layer.name}.weight"] for layer in layers)
    expected = experiment.config.learning_rate**2 * total
    return (_squares(layer.weight for layer in layers) - start - expected).abs() / expected


def _squares(tensors: Iterable[Tensor]) -> Tensor:
    return torch.stack([(tensor * tensor).sum() for tensor in tensors])


def _paired(network: Layered, inputs: Tensor, labels: Tensor) -> dict[str, float]:
    factor, rate = PAIRED_FACTOR, RATE
    weight = network.layers[LAYER].weight
    kept = weight.clone()

    def losses(scale: float, learning_rate: float) -> Tensor:
        weight.copy_(kept * scale)
        found = []
        for _ in range(PAIRED_STEPS):
            loss, gradients = _gradients(network, inputs, labels)
            found.append(loss)
            weight.sub_(learning_rate * gradients.layers[LAYER].weight)
        weight.copy_(kept)
        return torch.tensor(found, dtype=torch.float64)

    reference = losses(1.0, rate)
    compensated, slow = losses(factor, factor**2 * rate), losses(factor, rate)
    return {
        "effective-rate": float(((compensated - reference).abs() / reference).max()),
        "same-rate": float((slow[0] - slow[-1]) / (reference[0] - reference[-1])),
    }


CLAIM = Claim(
    (*STATEMENTS, *e04_turning.STATEMENTS), measure, parts={e04_turning.PART: e04_turning.measure}
)
