"""Setting of a map: two knobs with their ranges, and the config of its networks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import orjson

from bnviz.config import KNOBS, ConfigError, RunConfig
from bnviz.device import CPU_LIMITS
from bnviz.knobs import to_text
from bnviz.sweeps.plane import EVEN, REFERENCE_BATCH, WHOLE, Axis, Plane, neat, planes_of
from bnviz.sweeps.refine import FINEST
from bnviz.words.phrase import integer_between, listed, one_of, phrase

MOST_RUNGS = 64
MOST_STEPS, MOST_SEEDS = 2_000, 20
# Maximum number of networks at base points, and maximum number of seconds that they take on one
# core.
MOST_NETWORKS = 20_000
MOST_SECONDS = 3_600.0

# Knobs that can be an axis.
AXES = ("learning_rate", "batch_size", "init_std", "depth", "skip")
EQUAL = ("steps", "data")


@dataclass(frozen=True)
class Span:
    """Range of a knob on an axis, with `count` base values (fewer if it contains fewer whole
    numbers).
    """

    knob: str
    low: float
    high: float
    count: int

    def __post_init__(self) -> None:
        if self.knob not in AXES:
            raise ConfigError("axis", self.knob, one_of(AXES))
        knob = KNOBS[self.knob]
        if not 1 <= self.count <= MOST_RUNGS:
            raise ConfigError("count", self.count, integer_between(1, MOST_RUNGS))
        for value in (self.low, self.high):
            # This form of the condition also rejects NaN. Axes with equal ratios cannot contain 0.
            within = (knob.minimum or 0.0) <= value <= (knob.maximum or 0.0)
            if not within or (value <= 0 and self.knob not in EVEN):
                raise ConfigError(self.knob, value, knob.rule)
        rungs = self.rungs
        if self.low > self.high or (len(rungs) > 1) != (self.count > 1 and self.low < self.high):
            raise ConfigError(self.knob, [self.low, self.high], phrase("errors.range"))
        if len(set(map(np.float32, rungs))) < len(rungs):
            raise ConfigError(self.knob, [self.low, self.high], phrase("errors.float32_ends"))

    @cached_property
    def rungs(self) -> tuple[float, ...]:
        """Base values, ascending: evenly spaced for `EVEN` knobs, otherwise with equal ratios."""
        if self.count == 1 or self.low >= self.high:
            return (round(self.low) if self.knob in WHOLE else self.low,)
        space = np.linspace if self.knob in EVEN else np.geomspace
        values = space(self.low, self.high, self.count).tolist()
        if self.knob in WHOLE:
            return tuple(sorted({round(value) for value in values}))
        gap = (self.high / self.low) ** (1 / (self.count - 1) / FINEST) - 1
        return (self.low, *(neat(value, gap) for value in values[1:-1]), self.high)

    @property
    def axis(self) -> Axis:
        """The ladder."""
        return Axis(self.knob, self.rungs)

    def zoomed(self, low: float, high: float) -> Span:
        """Return the part of the range from `low` to `high`, with the same `count`. Raise
        `ConfigError` if this part contains no values.
        """
        low, high = max(low, self.low), min(high, self.high)
        if self.knob in WHOLE:
            return Span(self.knob, round(low), round(high), self.count)
        gap = (high / low - 1) / self.count / FINEST if high > low > 0 else 0.0
        return Span(self.knob, neat(low, gap), neat(high, gap), self.count)

    def to_text(self) -> str:
        """Return the text for a link: all four fields, or only the knob if the range is the default
        range.
        """
        if self == LADDERS[self.knob]:
            return self.knob
        return ",".join([self.knob, *map(to_text, (self.low, self.high, self.count))])

    @classmethod
    def from_text(cls, field: str, text: str) -> Span:
        """Read an axis from a link; raise `ConfigError` with field, text and allowed values."""
        knob, *numbers = text.split(",")
        allowed = phrase("errors.axis", names=listed(AXES))
        if knob not in AXES:
            raise ConfigError(field, text, allowed)
        if not numbers:
            return LADDERS[knob]
        try:
            if not text.isascii() or any("_" in number for number in numbers):
                raise ValueError
            low, high, count = numbers
            as_value = int if knob in WHOLE else float
            return cls(knob, as_value(low), as_value(high), int(count))
        except ValueError as error:
            if isinstance(error, ConfigError):
                raise
            raise ConfigError(field, text, allowed) from None


# Default range of each knob that can be an axis.
LADDERS = {
    span.knob: span
    for span in (
        Span("learning_rate", 0.01, 56.2, 16),
        Span("batch_size", 4, 256, 7),
        Span("init_std", 0.01, 1.78, 10),
        Span("depth", 2, 20, 7),
        Span("skip", 0, 4, 5),
    )
}


@dataclass(frozen=True)
class MapSetting:
    """Setting of a map; raises `ConfigError` if a value is not allowed or the map is too large.

    Attributes:
        config: Config of the networks; the axes override the values of their own knobs.
        across, up: The two axes, with different knobs.
        seeds: Number of runs per cell. Their seeds count upwards from the config's seed.
        equal: "steps", or "data" if all networks see as many examples as `steps` mini-batches of
            `REFERENCE_BATCH`.
    """

    config: RunConfig
    across: Span
    up: Span
    steps: int = 200
    seeds: int = 1
    equal: str = "steps"

    def __post_init__(self) -> None:
        if self.across.knob == self.up.knob:
            raise ConfigError("up", self.up.knob, phrase("errors.other_axis", name=self.up.knob))
        for name, most in (("steps", MOST_STEPS), ("seeds", MOST_SEEDS)):
            if not 1 <= getattr(self, name) <= most:
                raise ConfigError(name, getattr(self, name), integer_between(1, most))
        if self.equal not in EQUAL:
            raise ConfigError("equal", self.equal, one_of(EQUAL))
        object.__setattr__(self, "config", self._settled())
        self._check_work()

    def _settled(self) -> RunConfig:
        """Return the config with the axes' knobs at their lowest values, so that equal maps have
        the same key.
        """
        lowest = {span.knob: span.rungs[0] for span in (self.across, self.up)}
        if "init_std" in lowest:
            lowest["init"] = "normal"  # type: ignore[assignment]
        elif self.config.init != "normal":
            lowest["init_std"] = None  # type: ignore[assignment]
        return self.config.replace(**lowest, learning_rates=None, device="cpu")

    def _check_work(self) -> None:
        """Reject a map if its largest cell or all its cells together need too much computation."""
        rungs = len(self.across.rungs) * len(self.up.rungs)
        networks = rungs * len(self.config.norms) * self.seeds
        if networks > MOST_NETWORKS:
            raise ConfigError("networks", networks, integer_between(1, MOST_NETWORKS))
        columns, rows = ((span.rungs[0], span.rungs[-1]) for span in (self.across, self.up))
        for x, y in product(columns, rows):
            self.at(x, y).replace(seed=self.config.seed + self.seeds - 1)
        plane, seconds = self.planes()[0], 0.0
        last = FINEST * (len(self.across.rungs) - 1)
        for row in range(len(self.up.rungs)):
            # Along a row, the cost of a step changes by equal differences or equal ratios, so
            # average the costs at the row's two ends.
            ends = [plane.cells((column, FINEST * row))[0] for column in (0, last)]
            each = sum(cell.config.flops_per_step() * cell.steps for cell in ends) / 2
            seconds += each * networks / len(self.up.rungs) / CPU_LIMITS.flops_per_second
        if seconds > MOST_SECONDS:
            raise ConfigError(
                "networks × steps", f"{seconds:.0f} s",
                phrase("errors.at_most_map_seconds", most=f"{MOST_SECONDS:.0f}"),
            )  # fmt: skip

    def planes(self) -> tuple[Plane, ...]:
        """Return a map for each network, in the order of the config."""
        columns, rows, equal_data = self.across.axis, self.up.axis, self.equal == "data"
        return planes_of(self.config, columns, rows, self.steps, self.seeds, equal_data)

    def at(self, x: float, y: float) -> RunConfig:
        """Return a cell's config with all norms; raise `ConfigError` if a value is out of range."""
        values: dict[str, Any] = {self.across.knob: x, self.up.knob: y}
        for knob in values.keys() & set(WHOLE):
            values[knob] = round(values[knob])
        return self.config.replace(**values)

    @property
    def ends(self) -> bool:
        """Return whether zooming ends, because float32 precision is reached or no values remain."""
        axes = [span.axis for span in (self.across, self.up)]
        measured = [axis.ends for axis in axes if axis.knob not in WHOLE]
        return any(measured) or all(axis.ends for axis in axes)

    @cached_property
    def key(self) -> str:
        """32 hexadecimal digits that identify the setting."""
        said = {
            "config": self.config.model_dump(mode="json"), "steps": self.steps,
            "across": self.across.rungs, "up": self.up.rungs, "seeds": self.seeds,
            "equal": self.equal, "axes": [self.across.knob, self.up.knob],
        }  # fmt: skip
        return hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]

    def replace(self, **changes: Any) -> MapSetting:
        return replace(self, **changes)

    def to_query(self) -> dict[str, str]:
        """Return the differences from the default map, as strings for a link."""
        found = {
            name: self.text_of(name) for name in OWN if getattr(self, name) != getattr(USUAL, name)
        }  # fmt: skip
        settled = {self.across.knob, self.up.knob}
        if "init_std" in settled:
            settled.add("init")
        for name in KNOBS:
            value = getattr(self.config, name)
            if name not in settled and value != getattr(BASE, name):
                found[name] = self.text_of(name)
        return found

    def text_of(self, name: str) -> str:
        """Return the text of a field or of a knob in a link; "" if it has no value."""
        value = getattr(self if name in OWN else self.config, name)
        return value.to_text() if isinstance(value, Span) else to_text(value)

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> MapSetting:
        """Read a link's query; raise `ConfigError` with field, value and allowed values."""
        values: dict[str, Any] = {name: getattr(USUAL, name) for name in OWN}
        values |= {name: _read(name, query[name]) for name in OWN if name in query}
        knobs = {name: text for name, text in query.items() if name not in OWN}
        return cls(config=RunConfig.from_query(BASE.to_query() | knobs), **values)


# Fields of a link that are not knobs.
OWN = tuple(field.name for field in fields(MapSetting) if field.name != "config")


def _read(name: str, text: str) -> Any:
    if name in ("across", "up"):
        return Span.from_text(name, text)
    if name == "equal":
        return text
    if not (text.isascii() and text.isdecimal()):
        raise ConfigError(
            name, text, integer_between(1, MOST_STEPS if name == "steps" else MOST_SEEDS)
        )
    return int(text)


# Config of the default map's networks, and the default map.
BASE = RunConfig(width=64, batch_size=REFERENCE_BATCH, device="cpu")
USUAL = MapSetting(BASE, LADDERS["learning_rate"], LADDERS["batch_size"])
