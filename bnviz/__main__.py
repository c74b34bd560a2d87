"""The command line: `python -m bnviz train …`, `… sweep …`, `… claim …`, `… serve …`.

Knobs are set by the names of `RunConfig`'s fields. Results go to stdout, one JSON object a line;
errors to stderr as one sentence, with exit status 2.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
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
from bnviz.commands.claim import add_claim
from bnviz.commands.rates import add_rates
from bnviz.commands.record import add_record
from bnviz.commands.sweep import add_sweep
from bnviz.commands.texts import add_texts
from bnviz.config import KNOBS, OPTIMIZER_DEFAULTS, ConfigError, RunConfig
from bnviz.data.patient import load_patiently
from bnviz.probes import PROBES
from bnviz.records import Change, NetworkRecord, Snapshot

ROOT = Path(__file__).resolve().parents[1]
MAX_STEPS = 10_000_000
USAGE_ERROR = 2
# What a shell reports for a command whose reader has gone.
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # As Python does with stderr: a character that a terminal lacks must not end the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    options, unknown = _parser().parse_known_args(arguments)
    if unknown:
        options.parser.error(f"no such argument: {' '.join(unknown)}; knobs go after --set")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except ConfigError as error:
        print(error, file=sys.stderr)
        return USAGE_ERROR
    except BrokenPipeError:
        # The reader has closed the pipe. Python would complain when it flushes stdout on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bnviz", description=_first_line(__doc__))
    commands = parser.add_subparsers(required=True, metavar="command")
    train = commands.add_parser(
        "train",
        help="train networks and print what is measured",
        description="Train networks; print one JSON object a snapshot.",
        epilog=_knobs_and_probes(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for flag, default, metavar, text in (
        ("--steps", "600", "N", "steps to take (default 600)"),
        ("--every", "50", "N", "steps between snapshots (default 50)"),
        ("--probes", None, "all|none|NAMES", "what to measure (default: what the app measures)"),
        ("--changes", None, "FILE", "live changes as JSON, or a run's export: it sets knobs, too"),
    ):
        train.add_argument(flag, default=default, metavar=metavar, help=text)
    for flag, metavar, text in (
        ("--set", "KNOB=VALUE", "set a knob; may be given again"),
        ("--change", "STEP:KNOB=VALUE[,...]", "change live knobs before a step; may be repeated"),
    ):
        train.add_argument(flag, action="append", default=[], metavar=metavar, help=text)
    train.set_defaults(run=_train, parser=train)
    add_sweep(commands)
    add_claim(commands)
    add_record(commands)
    add_rates(commands)
    add_texts(commands)
    serve = commands.add_parser("serve", help="serve the app", description="Serve the app.")
    for flag, default, text in (
        ("--port", "8501", "port to listen on (default 8501)"),
        ("--base-path", "", "path under which the app is served (default: none)"),
    ):
        serve.add_argument(flag, default=default, help=text)
    serve.add_argument(
        "--host", "--address", dest="address", default="localhost",
        help="address to listen on (default localhost; 0.0.0.0 for all, to serve a class)",
    )  # fmt: skip
    serve.set_defaults(run=_serve, parser=serve)
    return parser


def _knobs_and_probes() -> str:
    """Every knob with its range and default, as `train --help` ends."""
    lines = ["knobs (* may change during a run):"]
    for knob in KNOBS.values():
        default = "none" if knob.default is None else knob.default
        default = ",".join(default) if isinstance(default, tuple) else default
        star = "*" if knob.live else " "
        for optimizer, own in OPTIMIZER_DEFAULTS.items():
            default = (
                f"{default}; {own[knob.name]} with {optimizer}" if knob.name in own else default
            )
        lines.append(f"  {star} {knob.name:15} {knob.allowed} (default {default})")
    actions = f"actions, as live changes: {SCALE_WEIGHTS}=FACTOR, or FACTOR@LAYER for one layer"
    return "\n".join([*lines, "", actions, f"probes: {', '.join(PROBES)}"])


def _train(options: argparse.Namespace) -> int:
    file = options.changes
    start, recorded = recorded_run(file) if file is not None else (RunConfig(), [])
    config = RunConfig.from_query({**start.to_query(), **assignments(options.set, "--set")})
    steps = whole_number("--steps", options.steps, 0, MAX_STEPS)
    every = whole_number("--every", options.every, 1, MAX_STEPS)
    changes = live_changes(options.change, config, steps)
    if file is not None:
        if changes:
            raise ConfigError("--change", options.change, "left out where --changes names a file")
        changes = recorded_changes(recorded, config, steps)
    load_patiently(config)
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
    """What `bnviz.experiment.run` yields; a note goes to stderr if other data stands in for it."""
    import torch

    from bnviz.experiment import Experiment, train

    # As in the app's workers: sums that are split among threads differ in their last digits.
    torch.set_num_threads(1)
    experiment = Experiment(config)
    if experiment.data.note:
        print(experiment.data.note, file=sys.stderr)
    return train(experiment, steps=steps, every=every, probes=probes, changes=changes)


def _serve(options: argparse.Namespace) -> int:
    port = whole_number("--port", options.port, 1, 65535)
    base_path = options.base_path.strip("/")
    if not re.fullmatch(r"[\w.~/-]*", base_path, re.ASCII):
        allowed = "a path of letters, digits and . ~ / _ -"
        raise ConfigError("--base-path", options.base_path, allowed)
    command = [
        sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"),
        f"--server.port={port}",
        f"--server.address={options.address}",
        f"--server.baseUrlPath={base_path}",
        "--server.headless=true",
    ]  # fmt: skip
    # By default Uvicorn trusts headers of every process of this machine; `BNVIZ_TRUSTED_PROXIES`
    # names the proxies to trust.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    # The clone's path may hold characters that this machine's own encoding lacks.
    os.environ["PYTHONUTF8"] = "1"
    try:
        Path.home()
    except RuntimeError:
        # A user by number alone. Streamlit does not start without a home; containers give this one.
        os.environ["HOME"] = os.sep
    # Streamlit reads the project's .streamlit/config.toml from the working directory.
    os.chdir(ROOT)
    os.execv(sys.executable, command)


def to_json(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot as plain values: its fields' names, arrays as lists, `"NaN"` and `"Infinity"`.

    Times are left out, so that the same command prints the same text.
    """
    clocks = {field.name for field in dataclasses.fields(NetworkRecord) if not field.compare}
    return {
        "step": snapshot.step,
        "networks": {
            norm: {
                name: _plain(value) for name, value in vars(record).items() if name not in clocks
            }
            for norm, record in snapshot.networks.items()
        },
    }


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return _plain(vars(value)) if hasattr(value, "__dict__") else value


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
