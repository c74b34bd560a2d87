"""E14: batch normalization with one, two or four examples."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from bnviz.claims.runs import accuracy, normal, play, random_numbers
from bnviz.claims.statement import (
    Claim,
    Comparator,
    Statement,
    Watch,
    about,
    at_least,
    at_most,
    between,
)
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms.batch import BatchNorm, batch_norm_backward, batch_norm_forward
from bnviz.pieces import run_to_end
from bnviz.planned_runs.best_rate import RATES, STEPS, search_best_rates

FEATURES = 50
EXAMPLES = 12_000  # seen by each network, whatever its batch size

EXACT = f"float64, {FEATURES} features, random x, γ, β and g"
EQUAL = f"tanh 3×100, rate 0.1, after {EXAMPLES:,} examples"
START = "tanh 3×100, step 0, m = 2 against 60"
WEIGHTS = "largest ‖∇W‖ of a hidden layer ÷ the same at 60"
PAPER, EARLIER, FOUND = "Wu & He 2018, by example", "earlier run", "found here"
NO_NETWORK = "Arithmetic in float64, without a network."

KNOBS: dict[str, Any] = {"depth": 3, "norms": ("batch", "layer")}


def _watch(batch_size: int, step: int | None = None, **knobs: Any) -> Watch:
    """The lab with batches of a size, after equal data unless a step is given."""
    step = EXAMPLES // batch_size if step is None else step
    return Watch({**KNOBS, "batch_size": batch_size, **knobs}, ("gradients",), step)


STATEMENTS = (
    Statement(
        key="one-output",
        text="With one example BN gives β, whatever comes in.",
        setting=f"{EXACT}, m = 1",
        quantity="largest |y − β|",
        expected=at_most(0),
        source="calculation",
        watch=NO_NETWORK,
    ),
    Statement(
        key="one-gradient",
        text="With one example no gradient comes through.",
        setting=f"{EXACT}, m = 1",
        quantity="largest |dx|",
        expected=at_most(0),
        source="calculation",
        watch=NO_NETWORK,
    ),
    Statement(
        key="one-refused",
        text="With one example torch’s layer refuses to train, and so does the one here.",
        setting=f"{EXACT}, m = 1",
        quantity="layers that raise an error, of 2",
        expected=at_least(2),
        source="torch’s documentation",
        watch=NO_NETWORK,
    ),
    Statement(
        key="two-signs",
        text="With two examples and ε = 0 only signs come through: x̂ = ±1.",
        setting=f"{EXACT}, m = 2",
        quantity="largest ||x̂| − 1|",
        expected=at_most(1e-12),
        source="calculation",
        watch=NO_NETWORK,
    ),
    Statement(
        key="two-gradient",
        text="With two examples and ε = 0 no gradient comes through.",
        lead="In a batch of two examples BN with ε = 0 lets no gradient through.",
        setting=f"{EXACT}, m = 2",
        quantity="largest |dx| ÷ |γ g/σ|",
        expected=at_most(1e-12),
        source="calculation",
        watch=NO_NETWORK,
    ),
    Statement(
        key="two-weights",
        text="The weights before BN get next to no gradient from two examples.",
        setting=f"{START}, ε = 1e-5",
        quantity=WEIGHTS,
        expected=at_most(0.01),
        source="calculation",
        changed="First measured on the run’s first mini-batch: 3.70 (0.150 to 124).",
        watch=_watch(2, 0),
    ),
    Statement(
        key="two-weights-median",
        text="The weights of most units before BN get next to no gradient from two examples.",
        setting=f"{START}, ε = 1e-5",
        quantity="median ‖∇w‖ of the hidden units ÷ the same at 60",
        expected=at_most(0.01),
        source=FOUND,
        part="found",
        instead_of="two-weights",
        watch=_watch(2, 0),
    ),
    Statement(
        key="two-weights-exact",
        text="The weights before BN get no gradient from two examples where ε is 0.",
        setting=f"{START}, ε = 0, float64",
        quantity=WEIGHTS,
        expected=at_most(1e-9),
        source=FOUND,
        part="found",
        instead_of="two-weights",
        watch=_watch(2, 0, norm_eps=0.0),
    ),
    Statement(
        key="accuracy-2",
        text="With two examples a batch the accuracy after equal data suffers.",
        setting=f"{EQUAL}, m = 2",
        quantity="accuracy with BN",
        expected=about(0.65, 0.15),
        source=EARLIER,
        watch=_watch(2),
    ),
    Statement(
        key="accuracy-4",
        text="With four examples a batch a network with BN gets nearly as far on the same data as "
        "with batches of 60.",
        setting=f"{EQUAL}, m = 4",
        quantity="accuracy with BN",
        expected=about(0.95, 0.03),
        source=EARLIER,
        watch=_watch(4),
    ),
    Statement(
        key="accuracy-60",
        text="With batches of 60 a network with BN reaches an accuracy of 96 % on the same data.",
        setting=f"{EQUAL}, m = 60",
        quantity="accuracy with BN",
        expected=about(0.96, 0.02),
        source=FOUND,
        part="found",
        watch=_watch(60),
    ),
    Statement(
        key="four-equal",
        text="With four examples a batch BN does not help after equal data: the network with BN is "
        "level with the plain one or up to 5 points below.",
        setting=f"{EQUAL}, m = 4",
        quantity="accuracy, BN less plain",
        expected=between(-0.05, 0.01),
        source=FOUND,
        part="four",
        difference=True,
        comparator=Comparator("plain-equal", "the plain network"),
        watch=_watch(4, norms=("none", "batch")),
    ),
    Statement(
        key="four-best",
        text="With four examples a batch BN does not help after equal steps: each at its best "
        "rate, the network with BN ends below the plain one.",
        setting=f"tanh 6×100, m = 4, {STEPS} steps at each of the rates "
        f"{', '.join(f'{rate:g}' for rate in RATES)}; best rate chosen on the test images",
        quantity="best accuracy, BN less plain",
        expected=at_most(-0.02),
        source=FOUND,
        part="four",
        difference=True,
        comparator=Comparator("plain-best", "the plain network"),
        watch=Watch({"batch_size": 4}, ("gradients",), STEPS),
    ),
    Statement(
        key="others",
        text="With two examples a batch a norm that does not look at the batch is ahead.",
        lead="With batches of two, layer normalization reaches a far higher accuracy than BN.",
        setting=f"{EQUAL}, m = 2",
        quantity="accuracy, layer norm less BN",
        expected=at_least(0.1),
        source=PAPER,
        difference=True,
        comparator=Comparator("accuracy-2", "the network with BN"),
        watch=_watch(2),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a declared statement."""
    two, four = (_after_equal_data(seed, size) for size in (2, 4))
    return {
        **_exact(seed),
        "two-weights": _weight_gradients(seed, 1e-5).layer,
        "accuracy-2": two["batch"],
        "accuracy-4": four["batch"],
        "others": two["layer"] - two["batch"],
    }


def measure_found(seed: int) -> dict[str, float]:
    """One value a statement found here."""
    return {
        "two-weights-median": _weight_gradients(seed, 1e-5).unit,
        "two-weights-exact": _weight_gradients(seed, 0.0).layer,
        "accuracy-60": _after_equal_data(seed, 60)["batch"],
    }


def measure_four(seed: int) -> dict[str, float]:
    """BN and the plain network with four examples: at one rate, and each at its best in the lab."""
    equal = _after_equal_data(seed, 4, norms=("none", "batch"))
    best = run_to_end(search_best_rates(RunConfig(batch_size=4, seed=seed))).best
    plain, batch = (accuracy for _, accuracy in (best["none"], best["batch"]))
    return {
        "plain-equal": equal["none"],
        "four-equal": equal["batch"] - equal["none"],
        "plain-best": plain,
        "four-best": batch - plain,
    }


def _exact(seed: int) -> dict[str, float]:
    generator = random_numbers(seed, 14)
    gamma, beta = (normal(generator, FEATURES) for _ in range(2))
    x, g = (normal(generator, 1, FEATURES) for _ in range(2))
    y, cache = batch_norm_forward(x, gamma, beta, 1e-5)
    one, _, _ = batch_norm_backward(g, cache)
    x, g = (normal(generator, 2, FEATURES) for _ in range(2))
    _, cache = batch_norm_forward(x, gamma, beta, 0.0)
    two, _, _ = batch_norm_backward(g, cache)
    size = (gamma * cache.inverse_std * g).abs()
    return {
        "one-output": float((y - beta).abs().max()),
        "one-gradient": float(one.abs().max()),
        "one-refused": _refusals(normal(generator, 1, FEATURES)),
        "two-signs": float((cache.normalized.abs() - 1).abs().max()),
        "two-gradient": float((two.abs() / size).max()),
    }


def _refusals(x: Tensor) -> float:
    torchs = nn.BatchNorm1d(FEATURES, dtype=x.dtype)
    ours = BatchNorm(FEATURES, dtype=x.dtype)
    refused = 0
    for layer in (torchs, partial(ours.forward, training=True)):
        try:
            layer(x)
        except ValueError:
            refused += 1
    return float(refused)


class _Ratio(NamedTuple):
    """Of the weights' gradients at m = 2 ÷ 60: the largest of a layer, the median of a unit."""

    layer: float
    unit: float


def _weight_gradients(seed: int, eps: float) -> _Ratio:
    layer, unit = {}, {}
    for size in (2, 60):
        config = RunConfig(**KNOBS, norm_eps=eps, batch_size=size, seed=seed)
        experiment = Experiment(config, dtype=torch.float64)
        data = experiment.data
        inputs, labels = (
            torch.from_numpy(part[:size]) for part in (data.train_inputs, data.train_labels)
        )
        network = experiment.networks["batch"]
        _, found = network.backward(network.forward(inputs.double(), training=True), labels)
        weights = [each.weight for each in found.layers]
        layer[size] = max(float(each.norm()) for each in weights)
        unit[size] = float(torch.cat([each.norm(dim=1) for each in weights]).median())
    return _Ratio(layer[2] / layer[60], unit[2] / unit[60])


def _after_equal_data(seed: int, batch_size: int, **knobs: Any) -> dict[str, float]:
    config = RunConfig(**{**KNOBS, **knobs}, batch_size=batch_size, seed=seed)
    (shot,) = play(config, (EXAMPLES // batch_size,))
    return {norm: accuracy(record) for norm, record in shot.networks.items()}


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="ResNet-50 on ImageNet at a batch of 2 (Wu & He 2018): 34.7 % error with BN, 24.1 % with "
    "group normalization. That is cited, not measured here. Of two examples a unit that gives both "
    "nearly the same value lets a large gradient through.",
    parts={"found": measure_found, "four": measure_four},
)
