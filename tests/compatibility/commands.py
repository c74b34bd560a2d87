"""Public interface of the command line: options, output, and environment variables."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest import mock

from bnviz.__main__ import main
from bnviz.live.settings import Settings, SettingsError
from bnviz.sweeps.backend import BackendError
from bnviz.sweeps.pool import Pool
from tests.compatibility.registries import THERE, there

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--set", "dataset=moons", "--set", "depth=1", "--set", "width=4")
SWEEP = ("sweep", *SMALL, "--set", "norms=batch", "--learning-rates", "0.1", "--batch-sizes", "8",
         "--steps", "1", "--workers", "1")  # fmt: skip
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
VARIABLE = re.compile(r"\"(BNVIZ_[A-Z_]+)\"")
# Valid and invalid texts for settings without a numeric range.
TEXTS = {
    "BNVIZ_MAP_CLUSTER": ("", "auto", "local", "10.0.0.1:6379", "cloud"),
    "BNVIZ_TRUSTED_PROXIES": ("", "127.0.0.1", "127.0.0.1, 10.0.0.0/8", "::1", "proxy"),
    "BNVIZ_SECRET": ("", "x" * 15, "x" * 16),
    "BNVIZ_LOG_LEVEL": ("debug", "info", "warning", "error"),
}


def surface() -> dict[str, Any]:
    return dict(
        (*_options(_parser(), ""), *_train(), *_sweep(), *_claim(), *_variables(), *_faults())
    )


class _Found(Exception):
    """Exception that carries the parser out of `main`."""


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line, intercepted before it parses."""

    def give(self: argparse.ArgumentParser, *_given: Any, **_options: Any) -> None:
        raise _Found(self)

    with mock.patch.object(argparse.ArgumentParser, "parse_known_args", give):
        try:
            main([])
        except _Found as found:
            parser: argparse.ArgumentParser = found.args[0]
            return parser
    raise AssertionError("the command line parsed without a parser")


def _options(parser: argparse.ArgumentParser, command: str) -> Iterator[tuple[str, Any]]:
    """Yield every option of a command and of its subcommands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield f"command: {name}", THERE
                yield from _options(below, f" {name}")
            continue
        names = action.option_strings or [action.dest]
        for name in names:
            key = f"command{command} {name}"
            yield key, {
                "takes a value": action.nargs != 0, "required": action.required,
                "default": None if action.default is argparse.SUPPRESS else action.default,
                "repeats": type(action).__name__ == "_AppendAction",
            }  # fmt: skip
            yield from there(f"{key} choice", map(str, action.choices or ()))


def said(*arguments: str) -> tuple[int, str]:
    """Run a command in this process, and return its exit status and output."""
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(printed), redirect_stderr(io.StringIO()):
        try:
            status = main(arguments)
        except SystemExit as end:
            status = int(end.code or 0)
    printed.flush()
    printed.seek(0)
    return status, printed.read()


def exit_status(command: str) -> int:
    """Return the exit status of a command, which is given without `python -m bnviz`."""
    return said(*shlex.split(command))[0]


class _Interrupted(io.BytesIO):
    """Output stream that simulates Ctrl-C on the first write."""

    def write(self, _line: Any) -> int:
        raise KeyboardInterrupt


def _faults() -> Iterator[tuple[str, Any]]:
    """Yield the exit statuses of commands that fail or are interrupted."""
    train = ("train", *SMALL, "--steps", "0", "--probes", "none")
    with redirect_stdout(io.TextIOWrapper(_Interrupted(), "utf-8")):
        yield "exit status of train after Ctrl-C", main(train)
    for name, error in (("after Ctrl-C", KeyboardInterrupt), ("without backend", BackendError)):
        with mock.patch.object(Pool, "run_cells", side_effect=error):
            yield f"exit status of sweep {name}", said(*SWEEP)[0]
    read, write = os.pipe()
    os.close(read)
    with open(write, "w", encoding="utf-8") as pipe, redirect_stdout(pipe):
        yield "exit status of train into a closed pipe", main(train)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, text in (("talk.toml", "title = 1"), ("changes.json", "{}"), ("saved", "x\n")):
            Path(name).write_text(text, "utf-8")
        for name, given in {
            "record with a wrong talk": ("record", "talk.toml", "--out", "talk.html"),
            "train with wrong changes": ("train", "--changes", "changes.json"),
            "sweep with a wrong file": (*SWEEP, "--resume", "saved"),
        }.items():
            yield f"exit status of {name}", said(*given)[0]


def _train() -> Iterator[tuple[str, Any]]:
    _, text = said("train", *SMALL, "--steps", "1", "--every", "1", "--probes", "gradients")
    yield from shape("train prints", [json.loads(line) for line in text.splitlines()])


def _sweep() -> Iterator[tuple[str, Any]]:
    columns = next(csv.reader(said(*SWEEP)[1].splitlines()))
    yield from there("sweep CSV column", columns)
    yield "sweep CSV columns", {"in this order": columns}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "saved.jsonl"
        _, text = said(*SWEEP, "--format", "json", "--resume", str(file))
        yield from shape("sweep JSON", json.loads(text))
        yield from shape("sweep resume file", json.loads(file.read_text("utf-8")))


def _claim() -> Iterator[tuple[str, Any]]:
    _, text = said("claim", "E2", "--quick", "--json")
    yield from shape("claim JSON", [json.loads(line) for line in text.splitlines()])


def shape(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Return the fields of a JSON value by path, each with its types."""
    found: dict[str, set[str]] = {}
    _look(path, value, found)
    return ((name, " or ".join(sorted(kinds))) for name, kinds in found.items())


def _look(path: str, value: Any, found: dict[str, set[str]]) -> None:
    found.setdefault(path, set()).add(_kind(value))
    if isinstance(value, dict):
        for name, part in value.items():
            _look(f"{path}.{name}", part, found)
    for part in value if isinstance(value, list) else ():
        if isinstance(part, dict):
            _look(f"{path}[]", part, found)


def _kind(value: Any) -> str:
    if isinstance(value, list) and value:
        return f"list of {' or '.join(sorted(set(map(_kind, value))))}"
    kinds = {
        bool: "flag",
        int: "number",
        float: "number",
        str: "text",
        dict: "object",
        list: "list",
    }
    return kinds.get(type(value), "null")


def _variables() -> Iterator[tuple[str, Any]]:
    """Yield every `BNVIZ_…` variable with its default and its allowed values."""
    defaults = Settings.from_environment({})
    for name in (each.name for each in fields(Settings)):
        variable = f"BNVIZ_{name.upper()}"
        yield f"variable {variable} default", getattr(defaults, name)
        if variable in TEXTS:
            for text in TEXTS[variable]:
                yield f"variable {variable} may be {text!r}", not _refusal(variable, text)
        else:
            yield f"variable {variable} range", NUMBER.findall(_refusal(variable, "none"))
    for file in sorted((ROOT / "bnviz").rglob("*.py")):
        yield from there("variable", VARIABLE.findall(file.read_text("utf-8")))


def _refusal(variable: str, text: str) -> str:
    """Return the error message for a value, or an empty string if the value is valid."""
    try:
        Settings.from_environment({variable: text})
    except SettingsError as error:
        return str(error)
    return ""
