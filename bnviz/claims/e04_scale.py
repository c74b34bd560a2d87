"""E4: a layer before batch normalization does not know how large its weights are."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from bnviz.claims.runs import random_numbers
from bnviz.claims.statement import Claim, Statement, at_least, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered
from bnviz.networks.trace import Gradients

STEPS, PAIRED_STEPS = 100, 20
LAYER = 1  # the middle one of three

NETWORK = "tanh 3×32, ε = 0, float64"
PAPER = "Ioffe & Szegedy 2015"
EFFECTIVE = "van Laarhoven 2017; Arora et al. 2018"

STATEMENTS = (
    Statement(
        key="loss",
        text="Multiplying the weights of a layer by a > 0 leaves the loss as it is.",
        setting=f"{NETWORK}; second layer, a from 0.2 to 5",
        quantity="largest |Δloss| ÷ loss",
        expected=at_most(1e-10),
        source=PAPER,
    ),
    Statement(
        key="below",
        text="It leaves the gradient by the layer's input as it is.",
        setting=f"{NETWORK}; second layer, a from 0.2 to 5",
        quantity="largest ‖Δ∂loss/∂h‖ ÷ ‖∂loss/∂h‖",
        expected=at_most(1e-10),
        source=PAPER,
    ),
    Statement(
        key="weight",
        text="It divides the weights' gradient by a.",
        setting=f"{NETWORK}; second layer, a from 0.2 to 5",
        quantity="largest ‖a∇(aW) − ∇(W)‖ ÷ ‖∇(W)‖",
        expected=at_most(1e-10),
        source=PAPER,
    ),
    Statement(
        key="orthogonal",
        text="The gradient is orthogonal to the weights of each unit.",
        setting=f"{NETWORK}; every hidden unit",
        quantity="largest |w·∇w| ÷ ‖w‖‖∇w‖",
        expected=at_most(1e-10),
        source="calculation",
    ),
    Statement(
        key="not-orthogonal",
        text="Without a norm it is not.",
        setting="tanh 3×32, float64, no norm; every hidden unit",
        quantity="median |w·∇w| ÷ ‖w‖‖∇w‖",
        expected=at_least(0.01),
        source="calculation",
    ),
    Statement(
        key="growth",
        text="Under gradient descent ‖w_t‖² = ‖w_0‖² + η²Σ‖g‖²: weights only grow.",
        setting=f"{NETWORK}; {STEPS} steps at 0.3, no momentum, no weight decay",
        quantity="largest deviation of a layer ÷ η²Σ‖g‖²",
        expected=at_most(1e-8),
        source=EFFECTIVE,
    ),
    Statement(
        key="growth-momentum",
        text="With momentum that sum is not exact.",
        setting=f"{NETWORK}; {STEPS} steps at 0.3, momentum 0.5",
        quantity="smallest deviation of a layer ÷ η²Σ‖g‖²",
        expected=at_least(0.1),
        source="calculation",
    ),
    Statement(
        key="growth-decay",
        text="With weight decay it is not exact either.",
        setting=f"{NETWORK}; {STEPS} steps at 0.3, weight decay 0.01",
        quantity="smallest deviation of a layer ÷ η²Σ‖g‖²",
        expected=at_least(0.1),
        source="calculation",
    ),
    Statement(
        key="effective-rate",
        text="What counts is η/‖w‖²: weights a times as large learn alike at a rate a² times as "
        "high.",
        setting=f"{NETWORK}; only the second layer learns, {PAIRED_STEPS} steps at 0.3, a = 3",
        quantity="largest |Δloss| ÷ loss",
        expected=at_most(1e-8),
        source=EFFECTIVE,
    ),
    Statement(
        key="same-rate",
        text="At the same rate they learn more slowly.",
        setting=f"{NETWORK}; only the second layer learns, {PAIRED_STEPS} steps at 0.3, a = 3",
        quantity="decrease of the loss ÷ that of the weights as they were",
        expected=at_most(1),
        source=EFFECTIVE,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    experiment = _experiment(seed)
    network, plain = _network(experiment, "batch"), _network(experiment, "none")
    inputs, labels = _batch(experiment)
    values = _scaled(network, inputs, labels, float(random_numbers(seed, 4).uniform(0.2, 5)))
    values["orthogonal"] = float(_cosines(network, inputs, labels).max())
    values["not-orthogonal"] = float(_cosines(plain, inputs, labels).median())
    values |= _paired(network, inputs, labels)
    values["growth"] = float(_growth_errors(_experiment(seed)).max())
    values["growth-momentum"] = float(_growth_errors(_experiment(seed, momentum=0.5)).min())
    values["growth-decay"] = float(_growth_errors(_experiment(seed, weight_decay=0.01)).min())
    return values


def _experiment(seed: int, **knobs: float) -> Experiment:
    base = {"depth": 3, "width": 32, "norm_eps": 0.0, "learning_rate": 0.3, "seed": seed}
    config = RunConfig(**{**base, **knobs})
    return Experiment(config, dtype=torch.float64)


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
    weight.mul_(factor)
    scaled_loss, after = _gradients(network, inputs, labels)
    weight.copy_(kept)
    below, scaled_below = (found.layers[LAYER - 1].activation for found in (before, after))
    own, scaled_own = (found.layers[LAYER].weight for found in (before, after))
    return {
        "loss": abs(scaled_loss - loss) / loss,
        "below": float((scaled_below - below).norm() / below.norm()),
        "weight": float((factor * scaled_own - own).norm() / own.norm()),
    }


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
    factor, rate = 3.0, 0.3
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


CLAIM = Claim(STATEMENTS, measure)
