"""Description of a setting (knob) of `RunConfig`, and conversion of its value to and from text."""

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
    """Unknown or invalid knob.

    `field`, `value` and `allowed` are in English. `phrase` is the message for any language.
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
        """Pickle all arguments, because an exception by default pickles only its message."""
        return type(self), self._given


def must_be(field: Phrase | str, value: Phrase | str, allowed: Phrase | str) -> Phrase:
    """Return the error message for an invalid value of a field."""
    named = field if isinstance(field, Phrase) else cut(field)
    return phrase("errors.must_be", field=named, value=value, allowed=allowed)


def cut(text: str, most: int = 80) -> str:
    """Shorten a text to at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


# Patterns of numbers with a decimal comma, by kind of knob. In a list, commas usually separate the
# numbers, so a comma counts as decimal only if semicolons separate the numbers.
DECIMAL_COMMAS = {
    # Do not match numbers such as 1,000, which more likely mean one thousand.
    "float": re.compile(r"(?![1-9][0-9]{0,2},[0-9]{3}$)[0-9]+,[0-9]+"),
    "floats": re.compile(r"[0-9]+(,[0-9]+)?(;[0-9]+(,[0-9]+)?)+"),
}


@dataclass(frozen=True)
class Knob:
    """Properties of a field of `RunConfig` that widgets, links and the command line need."""

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
        return text(f"knobs.{self.name}.label")

    @property
    def help(self) -> str:
        return text(f"knobs.{self.name}.help")

    @property
    def allowed(self) -> str:
        """Allowed values as text, in the current language."""
        return self.rule.text()

    @property
    def rule(self) -> Phrase:
        if self.kind == "choice":
            return one_of(self.choices)
        if self.kind == "choices":
            return some_of(self.choices)
        if self.kind == "bool":
            return phrase("errors.true_or_false")
        key = f"errors.{self.kind}_{'above' if self.above_minimum else 'between'}"
        return phrase(key, low=f"{self.minimum:g}", high=f"{self.maximum:.10g}")


def some_of(names: Iterable[str]) -> Phrase:
    """Return the phrase which says that several of these names may be selected."""
    return phrase("errors.some_of", names=listed(names))


def to_text(value: Any) -> str:
    """Format a knob's value as text for a link; None becomes an empty text."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(to_text(part) for part in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    # Match JavaScript's number formatting, so that links are identical.
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def from_text(knob: Knob, text: str) -> Any:
    """Parse a knob's value from the text in a link. `RunConfig` then validates it.

    Raises:
        ConfigError: if the text is not a value of the knob's kind.
    """
    if knob.optional and text in ("", "none"):
        return None
    # `int` and `float` would also accept digits of other scripts, and would read 1_0 as 10.
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


# Kind of knob for each JSON schema type.
KINDS: dict[str, Any] = {"integer": "int", "number": "float", "boolean": "bool"}


def describe(name: str, default: Any, schema: dict[str, Any]) -> Knob:
    """Return the description of a knob, made from its default and the JSON schema of its field."""
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
