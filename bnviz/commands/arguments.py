"""Parsers of command-line arguments: knobs, live changes, probe names, numbers."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import orjson

from bnviz.actions import ACTIONS
from bnviz.config import KNOBS, ConfigError, RunConfig, read_changes, with_change
from bnviz.locations import locations
from bnviz.records import Change
from bnviz.words.phrase import Phrase, integer_between, listed, phrase

Number = TypeVar("Number", int, float)

# Keys of a change in a file.
CHANGE = ("step", "values", "drag")
MAX_DRAG = 2**31 - 1


def live_changes(given: Iterable[str], config: RunConfig, steps: int) -> list[Change]:
    """Parse changes such as "150:learning_rate=1,momentum=0.9" or "100:scale_weights=10@3".

    Raises:
        ConfigError: if a change is malformed, or its step, knob or value is not allowed.
    """
    found: list[tuple[int, str, str]] = []
    for one in given:
        step, colon, knobs = one.partition(":")
        if not colon:
            raise ConfigError("--change", one, phrase("command.train.allowed.change"))
        number = whole_number("--change", step, 0, steps)
        # A comma separates two knobs, or belongs to a value: "learning_rates=0.1,1,momentum=0.9".
        parts = re.split(",(?=[^,]*=)", knobs)
        found += [(number, *part) for part in assignments(parts, "--change").items()]
    return read_changes(found, config)


def recorded_run(path: str) -> tuple[RunConfig, list[Any], object]:
    """Return the config of a recorded run, its changes as in the file, and its device.

    The file is the JSON export of a run, or only a list of changes to the default config. Raise
    ConfigError if the file is missing or invalid.
    """
    try:
        # Remove the byte order mark that some editors put at the start of a file.
        found = orjson.loads(Path(path).read_bytes().removeprefix(codecs.BOM_UTF8))
    except (OSError, orjson.JSONDecodeError) as problem:
        because = phrase("command.train.allowed.changes_because", problem=str(problem))
        raise ConfigError("--changes", path, because) from None
    config, changes, device = {}, found, None
    if isinstance(found, dict):
        config, changes = found.get("config", {}), found.get("changes")
        device = found.get("resolved_device")
    if not isinstance(changes, list) or not isinstance(config, dict):
        raise ConfigError("--changes", path, phrase("command.train.allowed.changes"))
    for name in config:
        if name not in KNOBS:
            raise ConfigError(name, config[name], phrase("errors.knob", names=listed(KNOBS)))
    return RunConfig(**config), changes, device


def recorded_changes(given: Iterable[Any], config: RunConfig, steps: int) -> list[Change]:
    """Check each change in a file against the config after the earlier changes. Return the changes.

    Raises:
        ConfigError: if a change is invalid or out of order.
    """
    changes: list[Change] = []
    for at, one in enumerate(given):
        number = at + 1
        if not isinstance(one, dict) or not {"step", "values"} <= set(one) <= set(CHANGE):
            allowed = phrase("command.train.allowed.one_change", names=listed(CHANGE))
            raise ConfigError(phrase("command.train.in_changes", number=number), one, allowed)
        last = changes[-1].step if changes else 0
        step, drag, values = one["step"], one.get("drag", 0), one["values"]
        for name, value, low, high in (("step", step, last, steps), ("drag", drag, 0, MAX_DRAG)):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ConfigError(_in_changes(number, name), value, integer_between(low, high))
        if not isinstance(values, dict) or not values:
            allowed = phrase("command.train.allowed.values")
            raise ConfigError(_in_changes(number, "values"), values, allowed)
        if drag and not set(ACTIONS).isdisjoint(values):
            allowed = phrase("command.train.allowed.no_drag")
            raise ConfigError(_in_changes(number, "drag"), drag, allowed)
        config, checked = with_change(config, values)
        changes.append(Change(step, checked, drag))
    return changes


def _in_changes(number: int, field: str) -> Phrase:
    """Name of a field of one change in a file, for an error."""
    return phrase("command.train.in_changes_field", number=number, field=field)


def assignments(given: Iterable[str], option: str) -> dict[str, str]:
    """Parse texts such as depth=6. Raise ConfigError if a text is malformed or a name repeats."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(option, text, phrase("command.allowed.assignment"))
        if name in found:
            raise ConfigError(name, [found[name], value], phrase("errors.once"))
        found[name] = value
    return found


def probe_names(text: str | None) -> Iterable[str] | str | None:
    """Parse probe names for `Experiment.snapshot`."""
    if text is None or text == "all":
        return text
    return () if text in ("", "none") else tuple(name.strip() for name in text.split(","))


def numbers(name: str, text: str, kind: type[Number]) -> list[Number]:
    """Parse numbers separated by commas. Raise ConfigError if a part is not a `kind`."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        key = "whole_numbers" if kind is int else "numbers"
        raise ConfigError(name, text, phrase(f"command.allowed.{key}")) from None


def whole_number(name: str, text: str, low: int, high: int) -> int:
    """Parse a whole number from `low` to `high`. Raise ConfigError otherwise."""
    # `isdecimal` rejects signs, blanks and underscores, which `int` would accept.
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1
    if not low <= number <= high:
        raise ConfigError(name, text, integer_between(low, high))
    return number


def writable_file(option: str, given: str) -> Path:
    """Check and return an output path before a long computation. Raise ConfigError if unusable."""
    path = Path(given)
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError(option, given, phrase("command.allowed.file"))
    return path


def measured_file(option: str, path: Path) -> Path:
    """Check that a file of the site may be written again, before it is measured. Return the file.

    Only a clone is changed: an installed package belongs to pip, and perhaps to all users.

    Raises:
        ConfigError: if this is an installed package, or the file cannot be written.
    """
    if not locations().is_clone or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigError(option, path, phrase("command.allowed.clone"))
    return path
