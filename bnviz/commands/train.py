"""Command `train`: train a config and print its snapshots."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from bnviz.actions import SCALE_WEIGHTS
from bnviz.commands.arguments import (
    assignments,
    live_changes,
    probe_names,
    recorded_changes,
    recorded_run,
    whole_number,
)
from bnviz.commands.parser import add_command, words_of
from bnviz.config import KNOBS, OPTIMIZER_DEFAULTS, ConfigError, RunConfig
from bnviz.data.base import load_patiently
from bnviz.device import choose, this_gpu
from bnviz.knobs import to_text
from bnviz.probes import PROBES
from bnviz.records import Change, NetworkRecord, Snapshot, plain
from bnviz.words.phrase import error_text, listed, phrase

MAX_STEPS = 10_000_000


def add_train(commands: Any) -> None:
    """Add the command to the parser."""
    add_command(commands, "train", _train, {
        "--steps": {"default": "600", "metavar": "{number}"},
        "--every": {"default": "50", "metavar": "{number}"},
        "--probes": {"metavar": "all|none|{names}"},
        "--changes": {"metavar": "{file}"},
        "--set": {"action": "append", "default": [], "metavar": "{knob}={value}"},
        "--change": {"action": "append", "default": [], "metavar": "{step}:{knob}={value}[,...]"},
    }, epilog=_knobs_and_probes())  # fmt: skip


def _knobs_and_probes() -> str:
    """List every knob with its range and default, for the end of `train --help`."""
    words = words_of("train")
    lines = [words["knobs"]]
    for knob in KNOBS.values():
        default = "none" if knob.default is None else knob.default
        default = to_text(default) if isinstance(default, tuple) else default
        star = "*" if knob.live else " "
        for optimizer, own in OPTIMIZER_DEFAULTS.items():
            if knob.name in own:
                default = words["default_with"].format(
                    default=default, own=own[knob.name], optimizer=optimizer
                )
        told = words["knob"].format(allowed=knob.allowed, default=default)
        lines.append(f"  {star} {knob.name:15} {told}")
    actions = words["actions"].format(action=SCALE_WEIGHTS)
    return "\n".join([*lines, "", actions, words["probes"].format(names=listed(PROBES))])


def _train(options: argparse.Namespace) -> int:
    file = options.changes
    start, recorded, device = recorded_run(file) if file is not None else (RunConfig(), [], None)
    config = RunConfig.from_query({**start.to_query(), **assignments(options.set, "--set")})
    steps = whole_number("--steps", options.steps, 0, MAX_STEPS)
    every = whole_number("--every", options.every, 1, MAX_STEPS)
    changes = live_changes(options.change, config, steps)
    if file is not None:
        if changes:
            allowed = phrase("command.train.allowed.no_change")
            raise ConfigError("--change", options.change, allowed)
        changes = recorded_changes(recorded, config, steps)
    load_patiently(config)
    here = choose(config, this_gpu()).device
    if device not in (None, here):
        said = phrase("command.train.other_device", there=str(device)[:10], here=here)
        print(said.text(), file=sys.stderr)
    for snapshot in _snapshots(config, steps, every, probe_names(options.probes), changes):
        sys.stdout.buffer.write(orjson.dumps(to_json(snapshot)) + b"\n")
        sys.stdout.buffer.flush()
    return 0


def _snapshots(
    config: RunConfig,
    steps: int,
    every: int,
    probes: Iterable[str] | str | None,
    changes: Sequence[Change],
) -> Iterator[Snapshot]:
    """Train and yield snapshots. Report on stderr if the requested data set is replaced."""
    import torch

    from bnviz.experiment import Experiment, every_step, train

    # Use one thread, as the app's workers do. Sums that are split among threads differ in their
    # last digits.
    torch.set_num_threads(1)
    experiment = Experiment(config)
    if experiment.data.note:
        print(error_text(experiment.data.note), file=sys.stderr)
    return train(experiment, every_step(steps, every), probes, changes)


def to_json(snapshot: Snapshot) -> dict[str, Any]:
    """Convert a snapshot to plain values without times, so that equal commands print equal text."""
    clocks = {field.name for field in dataclasses.fields(NetworkRecord) if not field.compare}
    return {
        "step": snapshot.step,
        "networks": {
            norm: {name: value for name, value in plain(record).items() if name not in clocks}
            for norm, record in snapshot.networks.items()
        },
    }
