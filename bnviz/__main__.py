"""Command line: `python -m bnviz train …`, `… sweep …`, `… claim …`, `… serve …`.

Results go to stdout, one JSON object per line, and are the same in every language. Errors go to
stderr as one sentence, with exit status 2. Help and errors are in the user's language.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
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
from bnviz.commands.check import add_check
from bnviz.commands.claim import add_claim
from bnviz.commands.parser import (
    LANGUAGE_FLAG,
    Help,
    add_command,
    asked_language,
    own_words,
    words_of,
)
from bnviz.commands.rates import add_rates
from bnviz.commands.record import add_record
from bnviz.commands.sweep import add_sweep
from bnviz.commands.texts import add_texts
from bnviz.config import KNOBS, OPTIMIZER_DEFAULTS, ConfigError, RunConfig
from bnviz.data.base import load_patiently
from bnviz.device import choose, this_gpu
from bnviz.knobs import to_text
from bnviz.probes import PROBES
from bnviz.records import Change, NetworkRecord, Snapshot, plain
from bnviz.words.language_choice import allowed_languages, language_for, locale_language
from bnviz.words.phrase import error_text, listed, phrase
from bnviz.words.texts import in_language, languages, texts

ROOT = Path(__file__).resolve().parents[1]
MAX_STEPS = 10_000_000
USAGE_ERROR = 2
# Exit status that shells report for a command whose output pipe was closed.
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Escape characters that the terminal's encoding lacks, as Python does for stderr, instead
        # of failing.
        sys.stdout.reconfigure(errors="backslashreplace")
    given = sys.argv[1:] if arguments is None else list(arguments)
    asked = asked_language(given)
    known = language_for(asked)
    with in_language(known or locale_language(os.environ)), own_words():
        try:
            if asked is not None and known is None:
                raise ConfigError(LANGUAGE_FLAG, asked, allowed_languages())
            status = _run(given)
            sys.stdout.flush()
        except ConfigError as error:
            print(error_text(error), file=sys.stderr)
            return USAGE_ERROR
        except BrokenPipeError:
            # The reader closed the pipe. Redirect stdout to the null device, because Python would
            # otherwise report an error when it flushes stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE
        except KeyboardInterrupt:
            return 130
    return status


def _run(arguments: Sequence[str]) -> int:
    options, unknown = _parser().parse_known_args(arguments)
    if unknown:
        said = texts("command")["no_such_argument"]
        options.parser.error(said.format(given=" ".join(unknown)))
    status: int = options.run(options)
    return status


def _parser() -> argparse.ArgumentParser:
    words = texts("command")
    parser = argparse.ArgumentParser(
        prog="python -m bnviz", description=words["description"], formatter_class=Help,
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument(
        LANGUAGE_FLAG, metavar=words["metavar"]["code"],
        help=words["lang"].format(codes=listed(languages())),
    )  # fmt: skip
    commands = parser.add_subparsers(required=True, metavar=words["command"])
    add_command(commands, "train", _train, {
        "--steps": {"default": "600", "metavar": "{number}"},
        "--every": {"default": "50", "metavar": "{number}"},
        "--probes": {"metavar": "all|none|{names}"},
        "--changes": {"metavar": "{file}"},
        "--set": {"action": "append", "default": [], "metavar": "{knob}={value}"},
        "--change": {"action": "append", "default": [], "metavar": "{step}:{knob}={value}[,...]"},
    }, epilog=_knobs_and_probes())  # fmt: skip
    for add in (add_sweep, add_claim, add_record, add_rates, add_check, add_texts):
        add(commands)
    add_command(commands, "serve", _serve, {
        "--port": {"default": "8501", "metavar": "{number}"},
        "--base-path": {"default": "", "metavar": "{path}"},
        "--host --address": {"dest": "address", "default": "localhost", "metavar": "{host}"},
    })  # fmt: skip
    return parser


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


def _serve(options: argparse.Namespace) -> int:
    port = whole_number("--port", options.port, 1, 65535)
    base_path = options.base_path.strip("/")
    if not re.fullmatch(r"[\w.~/-]*", base_path, re.ASCII):
        allowed = phrase("command.serve.allowed.base_path")
        raise ConfigError("--base-path", options.base_path, allowed)
    command = [
        sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"),
        f"--server.port={port}",
        f"--server.address={options.address}",
        f"--server.baseUrlPath={base_path}",
        "--server.headless=true",
    ]  # fmt: skip
    # By default, Uvicorn trusts the proxy headers of every process on this machine. Trust none
    # here, because `BNVIZ_TRUSTED_PROXIES` names the proxies to trust.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    # The path of the repository may contain characters that the machine's own encoding lacks.
    os.environ["PYTHONUTF8"] = "1"
    try:
        Path.home()
    except RuntimeError:
        # The user ID has no home directory. Streamlit needs one to start, so use "/", as
        # containers do.
        os.environ["HOME"] = os.sep
    # Streamlit reads the project's .streamlit/config.toml from the working directory.
    os.chdir(ROOT)
    os.execv(sys.executable, command)


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


if __name__ == "__main__":
    sys.exit(main())
