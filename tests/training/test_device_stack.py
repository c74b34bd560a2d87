"""Networks trained together on a device equal the engine's networks up to rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from bnviz.config import UNIT_FACTORS, RunConfig
from bnviz.data.base import load
from bnviz.networks.build import build_network
from bnviz.networks.mlp import MLP
from bnviz.norms import NORMS, norms_for
from bnviz.pieces import run_to_end
from bnviz.training.batches import Batches
from bnviz.training.device_stack import DeviceData, DeviceStack
from bnviz.training.hills import BINS, REACH, bin_counts, hill_of, hills_from
from bnviz.training.monitor import Monitor
from bnviz.training.optimizers import OPTIMIZERS
from bnviz.training.step import make_stepper, monitor_of
from tests.every_case import every_case

CPU = torch.device("cpu")
STEPS = 50
REPLAYED = tuple(name for name in norms_for("mlp") if NORMS[name].replays)
KNOBS: list[dict[str, Any]] = [
    {"activation": "sigmoid", "batch_size": 4, "momentum": 0.9, "weight_decay": 0.01},
    {"activation": "relu", "norm_position": "after", "init": "he"},
    {"activation": "gelu", "optimizer": "adam", "weight_decay": 0.001},
    {"activation": "tanh", "skip": 1, "depth": 4, "loss": "squared", "branch_start": 0.5},
    {"activation": "tanh", "momentum": 0.5, "weight_decay": 0.01, "rate_factors": (2, 0.5, 0)},
    {"optimizer": "adam", "weight_decay": 0.01, "rate_factors": (0, 2, 0.5)},
]
CASES = [
    (norm, knobs)
    for number, norm in enumerate(REPLAYED)
    for place, knobs in enumerate(KNOBS)
    if norm in ("none", "batch") or place == number % 4
]
CASES += [
    (norm, knobs) for norm in REPLAYED if NORMS[norm].minimum_batch > 1
    for knobs in ({"norm_statistics": "running"}, {"norm_momentum": None})
]  # fmt: skip


def small(norm: str, **knobs: Any) -> RunConfig:
    return RunConfig(**{"norms": (norm,), "depth": 3, "width": 12, "norm_groups": 3} | knobs)


def built(config: RunConfig, dtype: torch.dtype, device: torch.device = CPU) -> MLP:
    data = load(config)
    network = build_network(
        config, config.norms[0], data.features, data.classes, dtype=dtype, device=device
    )
    assert isinstance(network, MLP)
    return network


def order_of(configs: Sequence[RunConfig], steps: int) -> np.ndarray:
    """Return the mini-batches for the seed of each config, [K, T, N]."""
    size, examples = configs[0].batch_size, len(load(configs[0]).train_labels)
    return np.stack(
        [Batches(examples, each.seed).take(steps * size).reshape(steps, size) for each in configs]
    )


def stacked(
    configs: Sequence[RunConfig], steps: int, dtype: torch.dtype, device: torch.device = CPU
) -> DeviceStack:
    """Return a stack at step 0, with each config's initial weights and order of mini-batches."""
    networks = [built(config, dtype, device) for config in configs]
    stack = DeviceStack(
        networks[0], OPTIMIZERS[configs[0].optimizer],
        DeviceData.of(load(configs[0]), dtype, device),
        members=len(configs), batch=configs[0].batch_size, steps=steps,
        seeds=1 if len({config.seed for config in configs}) == 1 else len(configs),
        own_rates=any(config.rate_factors != UNIT_FACTORS for config in configs),
    )  # fmt: skip
    fill(stack, networks, configs, steps)
    return stack


def fill(
    stack: DeviceStack, networks: Sequence[MLP], configs: Sequence[RunConfig], steps: int
) -> None:
    one_seed = len({config.seed for config in configs}) == 1
    own = [0] * len(configs) if one_seed else list(range(len(configs)))
    order = order_of(configs[:1] if one_seed else configs, steps)
    stack.load(
        torch.stack([network.flat for network in networks]), list(range(len(configs))),
        [config.step_settings(config.norms[0]) for config in configs], order, own,
    )  # fmt: skip


@np.errstate(all="ignore")
def alone(
    config: RunConfig, steps: int, dtype: torch.dtype, start: MLP | None = None
) -> tuple[MLP, Monitor]:
    """Train a network with the engine, and return the network with its monitor."""
    network, data, norm = start or built(config, dtype), load(config), config.norms[0]
    monitor = monitor_of(network, data.classes)
    stepper = make_stepper(network, OPTIMIZERS[config.optimizer](network.rate_groups), monitor)
    for step, chosen in enumerate(order_of([config], steps)[0]):
        if monitor.stopped:
            break
        inputs, labels = data.train_inputs[chosen], data.train_labels[chosen]
        stepper.step(
            step, torch.from_numpy(inputs).to(dtype), torch.from_numpy(labels),
            config.step_settings(norm),
        )  # fmt: skip
    return network, monitor


def distance(found: torch.Tensor, expected: torch.Tensor) -> float:
    """Return the largest difference relative to the largest expected value, or inf for NaN."""
    if not found.numel():
        return 0.0
    size = max(1.0, float(expected.abs().max()))
    apart = float((found.double() - expected.double()).abs().max()) / size
    return math.inf if math.isnan(apart) else apart


def statistics_of(network: MLP) -> torch.Tensor:
    return torch.cat([torch.empty(0), *(each.flatten() for each in network.buffers().values())])


@every_case(("norm", "knobs"), CASES)
def test_fifty_steps_in_float64_are_the_engine_s(norm: str, knobs: dict[str, Any]) -> None:
    """Only chaotic runs may differ. In such runs, the engine's own results in float32 and float64
    differ, too.
    """
    config = small(norm, **knobs)
    rate = 0.003 if config.optimizer == "adam" else 0.05
    configs = [
        config.replace(learning_rate=rate, momentum=config.momentum / 2, weight_decay=0.02),
        config.replace(learning_rate=rate / 5, seed=1), config.replace(learning_rate=rate * 20),
    ]  # fmt: skip
    stack = stacked(configs, STEPS, torch.float64)
    for _ in range(STEPS):
        stack.step()
    calm = 0
    for index, each in enumerate(configs):
        network, _ = alone(each, STEPS, torch.float64)
        apart = max(
            distance(stack.flat[index], network.flat),
            distance(stack.statistics[index], statistics_of(network)),
        )
        if apart > 1e-9:
            by_float32 = distance(alone(each, STEPS, torch.float32)[0].flat, network.flat)
            assert by_float32 > 1e-3, (each, apart, by_float32)
        calm += apart <= 1e-9
    assert calm >= 2


@every_case(("loss", "rate", "output"), [("squared", 30.0, 1), ("cross_entropy", 100.0, 1e37)])
def test_a_network_that_diverges_stays_as_the_engine_leaves_it(
    loss: str, rate: float, output: float
) -> None:
    """If the forward pass fails, the weights do not change. If the update fails, its result is
    kept.
    """
    base = small("batch", activation="linear", loss=loss, momentum=0.9, batch_size=8)
    configs = [base.replace(learning_rate=each) for each in (0.01, rate)]
    stack = stacked(configs, STEPS, torch.float32)
    starts = [built(each, torch.float32) for each in configs]
    # With large output weights the loss is finite, but not the gradient times the rate.
    starts[1].parameters()["output.weight"].mul_(output)
    fill(stack, starts, configs, STEPS)
    for _ in range(STEPS):
        stack.step()
    facts = stack.facts.to_host()
    by_pass, by_update = facts.nonfinite <= base.depth, facts.overflow >= 0
    assert (by_pass | by_update).any(0).tolist() == [False, True]
    assert by_update[:, 1].any() == (output > 1)
    for index, (config, start) in enumerate(zip(configs, starts, strict=True)):
        network, monitor = alone(config, STEPS, torch.float32, start)
        for mine, other in (
            (stack.flat[index], network.flat), (stack.statistics[index], statistics_of(network)),
        ):  # fmt: skip
            assert torch.equal(torch.isfinite(mine), torch.isfinite(other))
            known = torch.isfinite(other)
            assert distance(mine[known], other[known]) < 0.1
        if monitor.stopped_at is not None:
            at = by_update if output > 1 else by_pass
            assert int(at[:, index].argmax()) + (output > 1) == monitor.stopped_at
            assert monitor.broke is not None
            if output > 1:
                assert network.layer_at(facts.overflow.max(0)[index]) == monitor.broke.layer


def test_a_network_whose_forward_pass_overflowed_once_takes_no_other_step() -> None:
    """The network must stay stopped even if the next example would give finite values."""
    config = small("none", activation="tanh", batch_size=1, learning_rate=1e-5)
    stack, start = stacked([config] * 2, STEPS, torch.float32), built(config, torch.float32)
    start.parameters()["output.weight"].mul_(3e38).mul_(2)
    fill(stack, [start, built(config, torch.float32)], [config] * 2, STEPS)
    for _ in range(STEPS):
        stack.step()
    lowest = stack.facts.to_host().nonfinite[:, 0]
    assert lowest[0] <= config.depth < lowest.max()
    assert torch.equal(stack.flat[0], start.flat)
    assert not torch.equal(stack.flat[1], built(config, torch.float32).flat)


class Waits(TorchDispatchMode):
    """Record operations that wait for the device, copy to or from the host, or draw random numbers.

    The tensors of a step are on "meta", which stands in for the device. Tensors on the CPU belong
    to the host.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        tags = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape,
                torch.Tag.nondeterministic_seeded}  # fmt: skip
        # Indexing with integers gives a result of known shape, but indexing with a mask does not.
        indexed = func is torch.ops.aten.index.Tensor and all(
            index is None or index.dtype != torch.bool for index in args[1]
        )
        if tags & set(func.tags) and not indexed:
            self.found.add(str(func))
        result = func(*args, **(kwargs or {}))
        for each in (*args, result):
            if isinstance(each, torch.Tensor) and each.device == CPU and each.dim():
                self.found.add(f"{func} on the host")
        return result


def waits_of(config: RunConfig, seeds: int = 1) -> set[str]:
    """Return the recorded operations (see `Waits`) in one step of a stack of two networks."""
    configs = [config.replace(seed=number % seeds) for number in range(2)]
    stack = stacked(configs, 2, torch.float32, torch.device("meta"))
    with Waits() as waits:
        try:
            stack.step()
        except (RuntimeError, NotImplementedError) as error:
            waits.found.add(str(error))
    return waits.found


def changes_with_the_step(config: RunConfig) -> bool:
    """Return whether the same forward pass gives other values at another step."""
    network, data = built(config, torch.float64), load(config)
    inputs = torch.from_numpy(data.train_inputs[: config.batch_size]).double()
    logits = []
    for step in (0, 7, 1000):
        network.step = step
        logits.append(network.forward(inputs, training=True).logits)
    return not all(torch.equal(each, logits[0]) for each in logits)


@every_case("norm", norms_for("mlp"))
def test_a_norm_s_entry_says_whether_its_steps_can_be_replayed(norm: str) -> None:
    config = small(norm, batch_size=16)
    fixed = not changes_with_the_step(config)
    assert NORMS[norm].replays == (fixed and not waits_of(config)), (fixed, waits_of(config))


@every_case("knobs", KNOBS)
def test_a_step_waits_for_nothing_and_draws_nothing(knobs: dict[str, Any]) -> None:
    for norm in ("none", "batch"):
        assert not waits_of(small(norm, **knobs))
        assert not waits_of(small(norm, **knobs), seeds=2)


def test_waiting_copying_and_drawing_are_found() -> None:
    one = torch.ones(1)
    with Waits() as waits:
        one.item()
        one.nonzero()
        one.to("meta")
        torch.rand(2, device="meta")
    found = {name.split(".")[1] for name in waits.found}
    assert {"_local_scalar_dense", "nonzero", "_to_copy", "rand"} <= found


@every_case("knobs", KNOBS)
def test_everything_stays_where_it_is_when_other_starts_and_rates_are_loaded(
    knobs: dict[str, Any],
) -> None:
    config = small("batch", **knobs)
    first, second = ([config.replace(learning_rate=rate, seed=seed) for seed in (0, 1)]
                     for rate in (0.001, 0.04))  # fmt: skip
    stack = stacked(first, 4, torch.float64)
    where = [tensor.data_ptr() for tensor in stack.state()]
    for _ in range(4):
        stack.step()
    once = stack.flat.clone()
    fill(stack, [built(each, torch.float64) for each in second], second, 4)
    for _ in range(4):
        stack.step()
    assert [tensor.data_ptr() for tensor in stack.state()] == where
    new = stacked(second, 4, torch.float64)
    for _ in range(4):
        new.step()
    assert torch.equal(stack.flat, new.flat)
    assert not torch.equal(stack.flat, once)


def test_tested_networks_have_the_engine_s_loss_accuracy_and_hill() -> None:
    configs = [small("batch", learning_rate=rate) for rate in (0.02, 0.1)]
    data = load(configs[0])
    stack = stacked(configs, STEPS, torch.float64)
    for _ in range(STEPS):
        stack.step()
    stack.flat[1] = torch.inf
    found = run_to_end(stack.test())
    network, _ = alone(configs[0], STEPS, torch.float64)
    labels = torch.from_numpy(data.test_labels)
    logits = network.forward(torch.from_numpy(data.test_inputs).double(), training=False).logits
    loss, right = network.loss(logits, labels)[0], (logits.argmax(1) == labels).double().mean()
    torch.testing.assert_close(found.loss[0], loss)
    torch.testing.assert_close(found.accuracy[0], right)
    assert found.loss[1].isnan()
    assert found.accuracy[1].isnan()
    hill = run_to_end(hill_of(network, torch.from_numpy(data.probe_inputs).double()))
    assert hills_from(found.bins.numpy())[0] == hill
    assert (len(hill), max(hill)) == (BINS, 255)


def test_bins_are_equally_wide_in_asinh_and_the_outermost_have_what_is_beyond() -> None:
    values = torch.from_numpy(np.random.default_rng(0).standard_cauchy((2, 4000)) * 5)
    edges = np.sinh(np.linspace(-np.arcsinh(REACH), np.arcsinh(REACH), BINS + 1))
    edges[0], edges[-1] = -np.inf, np.inf
    for row, counts in zip(values.numpy(), bin_counts(values).numpy(), strict=True):
        np.testing.assert_array_equal(counts, np.histogram(row, edges)[0])
    assert hills_from(np.array([[0, 1, 4], [0, 0, 0]])) == [bytes([0, 64, 255]), bytes(3)]


@pytest.mark.gpu
@every_case("factors", [UNIT_FACTORS, (2, 0, 0.5)])
def test_a_replayed_step_is_the_step_itself_on_a_gpu(factors: tuple[float, ...]) -> None:
    from bnviz.training.replays import replays_on

    device = torch.device("cuda")
    configs = [
        small("batch", learning_rate=rate, seed=seed, rate_factors=factors)
        for rate, seed in ((0.1, 0), (1, 1))
    ]
    called, replayed = (stacked(configs, 20, torch.float64, device) for _ in range(2))
    for _ in range(20):
        called.step()
    replays = replays_on(device, torch.cuda.MemPool())
    run_to_end(replays.record([replayed.step]))
    fill(replayed, [built(each, torch.float64, device) for each in configs], configs, 20)
    run_to_end(replays.replay(20))
    assert torch.equal(called.flat, replayed.flat)
    alike = distance(replayed.flat[0].cpu(), alone(configs[0], 20, torch.float64)[0].flat)
    assert alike < 1e-9
