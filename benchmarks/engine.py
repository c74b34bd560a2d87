"""Compare how fast the same pair of networks trains in the engine and in a bare PyTorch loop.

Both versions train in this process on one thread, in alternating rounds, with the same mini-batches
and initial weights. The engine's rounds include its monitor and ten snapshots per second with the
default probes. The bare loop measures nothing.

Below each row are CPU times in milliseconds, summed over all networks: the time of a frame with
only the cheap probes of the default page, the time of a frame with all probes of that page, and the
time of each single probe, including the probes on demand. With `--cpu-time`, the rounds also count
the CPU time of this process, which other programs disturb less.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import nn

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.probes import PROBES
from bnviz.training.batches import Batches
from bnviz.words.story import tell_story

Clock = Callable[[], float]

SNAPSHOTS_PER_SECOND = 10
WARM_UP_STEPS = 50
MNIST_FOLDER = "../shared/data/mnist-10k"

# Settings in which no network diverges. At these learning rates, even the tanh networks without BN
# train well.
SETTINGS: dict[str, dict[str, Any]] = {
    "digits 3×100": {"dataset": "digits", "depth": 3},
    "digits 6×100": {"dataset": "digits", "depth": 6},
    "digits 10×100, batch 32": {"dataset": "digits", "depth": 10, "batch_size": 32},
    "mnist-10k 3×100": {"dataset": "mnist", "depth": 3},
}
COMMON: dict[str, Any] = {"width": 100, "batch_size": 60, "learning_rate": 0.1, "device": "cpu"}


def bare_network(config: RunConfig, norm: str, experiment: Experiment) -> nn.Sequential:
    """Return the network as a PyTorch user would write it, with the engine's initial weights."""
    sizes = [experiment.data.features, *[config.width] * config.depth]
    parts: list[nn.Module] = []
    for fan_in, fan_out in itertools.pairwise(sizes):
        parts.append(nn.Linear(fan_in, fan_out, bias=norm == "none"))
        if norm == "batch":
            parts.append(nn.BatchNorm1d(fan_out))
        parts.append(nn.Tanh())
    network = nn.Sequential(*parts, nn.Linear(config.width, experiment.data.classes))
    weights = [v for k, v in experiment.networks[norm].parameters().items() if "weight" in k]
    linears = [part for part in network if isinstance(part, nn.Linear)]
    with torch.no_grad():
        for linear, weight in zip(linears, weights, strict=True):
            linear.weight.copy_(weight)
            if linear.bias is not None:
                linear.bias.zero_()
    return network


def bare_loop(config: RunConfig, experiment: Experiment) -> Iterator[float]:
    """Train every network for one step per iteration, and yield the last network's loss."""
    networks = [bare_network(config, norm, experiment) for norm in config.norms]
    optimizers = [torch.optim.SGD(n.parameters(), lr=config.learning_rate) for n in networks]
    inputs = torch.from_numpy(experiment.data.train_inputs)
    labels = torch.from_numpy(experiment.data.train_labels)
    batches = Batches(len(labels), config.seed)
    while True:
        indices = torch.from_numpy(batches.take(config.batch_size))
        batch_inputs, batch_labels = inputs[indices], labels[indices]
        for network, optimizer in zip(networks, optimizers, strict=True):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(batch_inputs), batch_labels)
            loss.backward()
            optimizer.step()
        yield loss.detach()


def steps_per_second(step: Callable[[], object], seconds: float, clock: Clock) -> float:
    """Call `step` for about `seconds` seconds, and return the calls per second."""
    steps, start = 0, clock()
    while clock() < start + seconds:
        step()
        steps += 1
    return steps / (clock() - start)


def instrumented(experiment: Experiment, clock: Clock) -> Callable[[], None]:
    """Return a function that trains for one step and, every tenth of a second, takes a snapshot."""
    due = clock()

    def step() -> None:
        nonlocal due
        experiment.step()
        if (now := clock()) >= due:
            experiment.snapshot()
            due = now + 1 / SNAPSHOTS_PER_SECOND

    return step


def measure_setting(
    name: str, seconds_per_round: float, rounds: int, clock: Clock
) -> dict[str, Any]:
    """Measure the setting `name`, and return its row of the printed table."""
    config = RunConfig(**COMMON | SETTINGS[name])
    experiment, twin = Experiment(config), Experiment(config)
    bare = bare_loop(config, twin)
    with_probes, without = instrumented(experiment, clock), twin.step
    for _ in range(WARM_UP_STEPS):
        with_probes()
        without()
        bare_loss = float(next(bare))  # type: ignore[arg-type]
    engine_loss = twin.snapshot(probes=()).networks[config.norms[-1]].loss
    steppers: dict[str, Callable[[], object]] = {
        "bare": lambda: next(bare), "engine": with_probes, "without_probes": without
    }  # fmt: skip
    rates: dict[str, list[float]] = {key: [] for key in steppers}
    for _ in range(rounds):
        for key, step in steppers.items():
            rates[key].append(steps_per_second(step, seconds_per_round, clock))
    states = {**experiment.states(), **twin.states()}
    median = {key: statistics.median(values) for key, values in rates.items()}
    costs = probe_costs(experiment)
    defaults = [name for name, probe in PROBES.items() if probe.default]
    return {
        "setting": name,
        "note": experiment.data.note,
        "engine_steps_per_second": median["engine"],
        "bare_steps_per_second": median["bare"],
        "engine_without_snapshots_steps_per_second": median["without_probes"],
        "ratio": statistics.median(
            e / b for e, b in zip(rates["engine"], rates["bare"], strict=True)
        ),
        "snapshot_milliseconds": 1000 * sum(costs[name] for name in ("base", *defaults)),
        "probe_milliseconds": {key: 1000 * value for key, value in costs.items()},
        "frame_milliseconds": {key: 1000 * value for key, value in frame_costs(experiment).items()},
        "states": states,
        "losses_after_warm_up": (engine_loss, bare_loss),
    }


def probe_costs(experiment: Experiment) -> dict[str, float]:
    """Return the seconds that each probe takes, and under "base" the seconds for the losses.

    The seconds are medians of three snapshots.
    """
    rounds: list[dict[str, float]] = []
    for _ in range(1 + 3):
        rounds.append({})
        experiment.snapshot(probes="all", seconds=rounds[-1])
    # Skip the first snapshot, because first measurements are slower.
    return {name: statistics.median(costs[name] for costs in rounds[1:]) for name in rounds[0]}


def frame_costs(experiment: Experiment) -> dict[str, float]:
    """Return the CPU seconds of each part of a frame of the default page, as medians of 21 frames.

    Training steps run between the frames, so that the processor's cache is in the same state as in
    a run.
    """
    cheap = tuple(name for name, probe in PROBES.items() if probe.default_view and probe.cheap)
    found: dict[str, list[float]] = {}

    def timed(part: str, work: Callable[[], Any]) -> Any:
        start = time.thread_time()
        result = work()
        found.setdefault(part, []).append(time.thread_time() - start)
        return result

    for _ in range(21):
        experiment.step()
        timed("cheap probes", lambda: experiment.snapshot(cheap))
        experiment.step()
        snapshot = timed("all default probes", experiment.snapshot)
        cards = timed("story", partial(tell_story, snapshot, experiment.config))
        timed("encoding", partial(encode_body, snapshot, story=cards))
    return {part: statistics.median(values) for part, values in found.items()}


def measure(
    seconds_per_round: float = 2.0, rounds: int = 5, *, clock: Clock = time.perf_counter
) -> list[dict[str, Any]]:
    """Measure every setting, and return one row per setting.

    `ratio` is the engine's steps per second divided by the steps per second of the bare loop, as a
    median over the rounds. Torch is set to one thread, as in worker processes. MNIST is loaded from
    the folder in `BNVIZ_DATA`, by default the project's small MNIST folder.
    """
    os.environ.setdefault("BNVIZ_DATA", MNIST_FOLDER)
    torch.set_num_threads(1)
    return [measure_setting(name, seconds_per_round, rounds, clock) for name in SETTINGS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds per round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu-time", action="store_true", help="measure CPU time")
    options = parser.parse_args()
    clock = time.thread_time if options.cpu_time else time.perf_counter
    print(f"{'pair, batch 60':25}{'engine':>10}{'bare':>10}{'ratio':>8}"
          f"{'no snapshots':>14}{'snapshot':>11}")  # fmt: skip
    for row in measure(options.seconds, options.rounds, clock=clock):
        print(
            f"{row['setting']:25}{row['engine_steps_per_second']:>8.0f}/s"
            f"{row['bare_steps_per_second']:>8.0f}/s{row['ratio']:>8.2f}"
            f"{row['engine_without_snapshots_steps_per_second']:>12.0f}/s"
            f"{row['snapshot_milliseconds']:>8.1f} ms"
        )
        if row["note"]:
            print(f"  {row['note']}")
        frame = row["frame_milliseconds"].items()
        print("  per frame: " + ", ".join(f"{part} {cost:.2f} ms" for part, cost in frame))
        costs = sorted(row["probe_milliseconds"].items(), key=lambda item: -item[1])
        print("  " + ", ".join(f"{name} {cost:.1f} ms" for name, cost in costs))


if __name__ == "__main__":
    main()
