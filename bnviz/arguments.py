"""What a command line says, as values: knobs, live changes, names of probes, whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bnviz.config import LIVE_KNOBS, ConfigError, RunConfig


def live_changes(given: Iterable[str], config: RunConfig, steps: int) -> dict[int, dict[str, Any]]:
    """Live changes by the step before which they act, each checked against the config so far.

    Args:
        given: such as "150:learning_rate=1,momentum=0.9".
        config: that the run begins with.
        steps: of the run.

    Raises:
        ConfigError: one cannot be read, or is none that a run may go through.
    """
    found: dict[int, dict[str, str]] = {}
    for text in given:
        step, colon, knobs = text.partition(":")
        if not colon:
            raise ConfigError("--change", text, "a step, a colon and a knob (150:learning_rate=1)")
        number = whole_number("--change", step, 0, steps)
        values = assignments(_separate(knobs), "--change")
        found.setdefault(number, {}).update(values)
    changes: dict[int, dict[str, Any]] = {}
    for number in sorted(found):
        for name in found[number]:
            if name not in LIVE_KNOBS:
                raise ConfigError(
                    "--change", name, f"one of the live knobs {', '.join(LIVE_KNOBS)}"
                )
        config = RunConfig.from_query({**config.to_query(), **found[number]})
        changes[number] = {name: getattr(config, name) for name in found[number]}
    return changes


def _separate(knobs: str) -> list[str]:
    """Split "learning_rates=0.1,1,momentum=0.9" where a knob begins, not within a value."""
    parts: list[str] = []
    for part in knobs.split(","):
        if parts and "=" not in part:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def assignments(given: Iterable[str], option: str) -> dict[str, str]:
    """Texts such as depth=6 as a dict of names and texts.

    Raises:
        ConfigError: one is no assignment, or a name is given twice.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(option, text, "a knob, an equals sign and a value (depth=6)")
        if name in found:
            raise ConfigError(name, [found[name], value], "given once")
        found[name] = value
    return found


def probe_names(text: str | None) -> Iterable[str] | str | None:
    """The probes that a text names, as `Experiment.snapshot` takes them."""
    if text is None or text == "all":
        return text
    return () if text in ("", "none") else tuple(name.strip() for name in text.split(","))


def whole_number(name: str, text: str, low: int, high: int) -> int:
    """A whole number between two others.

    Raises:
        ConfigError: it is none, or beyond them.
    """
    # isdecimal keeps out signs, blanks and underscores, which int would take.
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1
    if not low <= number <= high:
        raise ConfigError(name, text, f"a whole number between {low} and {high}")
    return number
