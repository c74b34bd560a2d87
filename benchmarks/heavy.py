"""Search for the costliest runs that users may start, by property-based testing."""

from __future__ import annotations

import time
from collections.abc import Callable

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import strategies as st

from bnviz.config import KNOBS, ConfigError, RunConfig
from bnviz.data import DATASETS
from bnviz.experiment import Experiment
from bnviz.networks import GRID, NETWORKS
from bnviz.norms import norms_for
from bnviz.sizes import bytes_per_run, flops_per_step, layer_count, size_of

# Config of a run that once blocked all other runs of its worker process, because its test set was
# evaluated in one piece.
LINK = RunConfig.from_query(
    {
        "dataset": "mnist", "network": "recurrent", "sequence": "pixels", "width": "256",
        "batch_size": "8",
    }
)  # fmt: skip
TRIED = 300


def _jacobian(config: RunConfig) -> float:
    values = config.width * (GRID**2 if config.network == "conv" else 1)
    return layer_count(config) * float(values) ** 3 * len(config.norms)


# Measures of the cost of a run, roughly proportional to seconds or bytes.
MEASURES: dict[str, Callable[[RunConfig], float]] = {
    "largest step": flops_per_step,
    "most layers": lambda config: layer_count(config) * len(config.norms) * config.batch_size**0.1,
    "largest evaluation": lambda c: size_of(c).products * len(c.norms) / c.batch_size**0.1,
    "largest Jacobians": _jacobian,
    "most bytes": bytes_per_run,
}


@st.composite
def legal(draw: st.DrawFn) -> RunConfig | None:
    """Draw a config from the knobs that affect its cost, or None if `RunConfig` rejects it."""
    network = draw(st.sampled_from(sorted(NETWORKS)))
    norms = st.sampled_from(sorted(norms_for(network)))
    entry = NETWORKS[network]
    try:
        return RunConfig(
            dataset=draw(st.sampled_from(["mnist", "digits"])),
            network=network,
            sequence=draw(st.sampled_from(KNOBS["sequence"].choices)),
            norms=tuple(draw(st.lists(norms, min_size=1, max_size=4, unique=True))),
            depth=draw(st.integers(1, entry.max_depth)),
            width=draw(st.integers(8, entry.max_width)),
            batch_size=draw(st.sampled_from([1, 2, 8, 32, 60, 256, 1024])),
            init=draw(st.sampled_from(["glorot", "orthogonal"])),
            activation=draw(st.sampled_from(["tanh", "gelu", "relu"])),
        )
    except ConfigError:
        return None


def heaviest() -> dict[str, RunConfig]:
    """Return the costliest config found for each measure."""
    found: dict[str, tuple[float, RunConfig]] = {}

    def note(name: str, config: RunConfig | None) -> None:
        if config is None:
            return
        weight = MEASURES[name](config)
        target(weight)
        if name not in found or weight > found[name][0]:
            found[name] = (weight, config)

    for name in MEASURES:
        search = settings(
            max_examples=TRIED, derandomize=True, database=None, deadline=None,
            phases=[Phase.generate, Phase.target], suppress_health_check=list(HealthCheck),
        )(given(st.just(name), legal())(note))  # fmt: skip
        search()
    return {f"{name}: {_words(config)}": config for name, (_, config) in found.items()}


def step_seconds(config: RunConfig) -> float:
    """Return the CPU seconds of the longest piece of a training step, after a warm-up step."""
    experiment = Experiment(config)
    longest = 0.0
    for _ in range(2):
        longest, pieces = 0.0, experiment.step_in_pieces()
        while True:
            began = time.thread_time()
            if next(pieces, True):
                break
            longest = max(longest, time.thread_time() - began)
    return longest


def _words(config: RunConfig) -> str:
    examples = DATASETS[config.dataset].label
    size = f"{layer_count(config)}×{config.width}, batch {config.batch_size}"
    return f"{config.network} {size}, {examples}, {'+'.join(config.norms)}"
