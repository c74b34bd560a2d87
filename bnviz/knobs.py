"""Knobs: what is known of one field of `RunConfig`, and how text in a link becomes its value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from bnviz.data import DATASETS
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS
from bnviz.words.phrase import Phrase, english, listed, one_of, phrase
from bnviz.words.texts import ENGLISH, text


class ConfigError(ValueError):
    """A knob is unknown or out of range. Its text is English; `phrase` has no language yet.

    Attributes:
        field: the knob, or the product of knobs ("depth × width² × batch_size"), in English words.
        value: what was given, or how it comes out in words of ours.
        allowed: what is allowed, in English words.
        phrase: the whole sentence, for whoever shows it to a person.
    """

    def __init__(self, field: Phrase | str, value: object, allowed: Phrase | str) -> None:
        self.field, self.allowed = english(field), english(allowed)
        self.value = value.text(ENGLISH) if isinstance(value, Phrase) else value
        self._given = field, value, allowed
        written = to_text(value) if isinstance(value, tuple) else repr(value)
        shown = value if isinstance(value, Phrase) else cut(written)
        self.phrase = must_be(field, shown, allowed)
        super().__init__(self.phrase.text(ENGLISH))

    def __reduce__(self) -> tuple[type[ConfigError], tuple[Any, ...]]:
        """How it comes back from another process; by itself it would take its text along only."""
        return type(self), self._given


def must_be(field: Phrase | str, value: Phrase | str, allowed: Phrase | str) -> Phrase:
    """What was wrong with something from outside.

    Args:
        field: what it was for.
        value: what was given, as it is to be shown.
        allowed: what is allowed.
    """
    named = field if isinstance(field, Phrase) else cut(field)
    return phrase("errors.must_be", field=named, value=value, allowed=allowed)


def cut(text: str, most: int = 80) -> str:
    """A text as a sentence repeats it: at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


# Numbers as languages write them that have a comma where English has a point. Several numbers have
# commas between them, so only with semicolons they are meant so.
DECIMAL_COMMAS = {
    # 1,000 is rather a thousand.
    "float": re.compile(r"(?![1-9][0-9]{0,2},[0-9]{3}$)[0-9]+,[0-9]+"),
    "floats": re.compile(r"[0-9]+(,[0-9]+)?(;[0-9]+(,[0-9]+)?)+"),
}


@dataclass(frozen=True)
class Knob:
    """What a widget, a link and the command line need to know of one field of `RunConfig`."""

    name: str
    kind: Literal["int", "float", "bool", "choice", "choices", "floats", "ints"]
    default: Any
    live: bool
    optional: bool
    minimum: float | None = None
    maximum: float | None = None
    above_minimum: bool = False
    choices: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name on screen, in the language that is spoken."""
        return text(f"knobs.{self.name}.label")

    @property
    def help(self) -> str:
        """What it does, in the language that is spoken."""
        return text(f"knobs.{self.name}.help")

    @property
    def allowed(self) -> str:
        """What is allowed, in the language that is spoken."""
        return self.rule.text()

    @property
    def rule(self) -> Phrase:
        """What is allowed."""
        if self.kind == "choice":
            return one_of(self.choices)
        if self.kind == "choices":
            return some_of(self.choices)
        if self.kind == "bool":
            return phrase("errors.true_or_false")
        key = f"errors.{self.kind}_{'above' if self.above_minimum else 'between'}"
        return phrase(key, low=f"{self.minimum:g}", high=f"{self.maximum:.10g}")


def some_of(names: Iterable[str]) -> Phrase:
    """What may be chosen where several things are compared."""
    return phrase("errors.some_of", names=listed(names))


def to_text(value: Any) -> str:
    """A knob's value as a link has it; "" where it has none."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(to_text(part) for part in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    # As a browser writes it, so that an address stays the same whoever wrote it.
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def from_text(knob: Knob, text: str) -> Any:
    """What a link says about a knob, for `RunConfig` to validate.

    Raises:
        ConfigError: the text is no such value.
    """
    if knob.optional and text in ("", "none"):
        return None
    # Python would also read digits of other scripts, and 1_0 as 10.
    if knob.kind.startswith(("int", "float")) and (not text.isascii() or "_" in text):
        raise ConfigError(knob.name, text, knob.rule)
    if knob.kind in DECIMAL_COMMAS and DECIMAL_COMMAS[knob.kind].fullmatch(text):
        example = text.replace(",", ".").replace(";", ",")
        rule = phrase("errors.decimal_point", allowed=knob.rule, example=example)
        raise ConfigError(knob.name, text, rule)
    if knob.kind in ("choices", "floats", "ints"):
        return tuple(part.strip() for part in text.split(","))
    if knob.kind == "bool":
        if text not in ("true", "false"):
            raise ConfigError(knob.name, text, knob.rule)
        return text == "true"
    return text


# What JSON schema calls the kinds of numbers and switches.
KINDS: dict[str, Any] = {"integer": "int", "number": "float", "boolean": "bool"}


def describe(name: str, default: Any, schema: dict[str, Any]) -> Knob:
    """What the declaration of a field says about its knob.

    Args:
        name: of the field.
        default: its value where nothing else is said.
        schema: of the field, as in pydantic's JSON schema.
    """
    optional = "anyOf" in schema
    value = schema["anyOf"][0] if optional else schema
    bounds = value.get("items", value)
    choices: Iterable[str] = value.get("enum", ())
    kind = "choice"
    if bounds["type"] in KINDS:
        kind = KINDS[bounds["type"]] + ("s" if "items" in value else "")
    elif "items" in value:
        kind, choices = "choices", NORMS
    elif not choices:
        choices = NETWORKS if name == "network" else DATASETS
    above, low = bounds.get("exclusiveMinimum"), bounds.get("minimum")
    low, high = low if above is None else above, bounds.get("maximum")
    return Knob(
        name=name, kind=kind,  # type: ignore[arg-type]
        default=default, live=schema["live"], optional=optional,
        minimum=None if low is None else float(low), maximum=None if high is None else float(high),
        above_minimum=above is not None, choices=tuple(choices),
    )  # fmt: skip
