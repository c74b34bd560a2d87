"""Records of a run as NumPy arrays and plain values. They can be read without torch."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import numpy as np

from bnviz.words.texts import ENGLISH, text

State = Literal["learning", "blown_up", "recovered", "stuck", "diverged"]

ProbeValues = dict[str, np.ndarray]

# Keys of the reasons for a break, first of a layer, then of the whole network. Their texts are
# under `reason` in `assets/texts/<language>/story.toml`.
SATURATED, DEAD, LARGE, NONFINITE = "saturated", "dead", "large", "nonfinite"
BLOWN_UP, AT_CHANCE = "blown_up", "at_chance"
# Key of the reason that a norm divided 0 by 0, which is possible only if ε is 0.
CONSTANT = "constant"

# Value recorded instead of a class if the logits of an image are not finite.
NO_PREDICTION = 255

# Names of record fields in frames and exported files, where they differ from the names here.
NAMES_OUTSIDE = {
    "first_mover": "moved", "first_moved_at": "moved_at", "undefined_norm": "paused",
    "accuracy_trace": "course", "test_accuracies": "looks",
}  # fmt: skip

# Numbers of a `NetworkRecord` that are drawn over time and exported, in the order of export.
SCALARS = (
    "loss", "test_loss", "test_accuracy", "learning_rate", "stability_limit", "seconds_per_step",
    "examples", "epochs", "training_seconds",
)  # fmt: skip

Record = TypeVar("Record")


def reached(accuracy: float) -> float:
    """Return an accuracy, 0 to 1. NaN, which means non-finite logits, becomes 0."""
    return 0.0 if math.isnan(accuracy) else accuracy


def entry_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """Return the column names of an array: "name:0,0", "name:0,1", …, or "name:" for a scalar."""
    return [f"{name}:{','.join(map(str, index))}" for index in np.ndindex(*shape)]


def json_number(value: float) -> float | str:
    """Return a number in a form for JSON: itself, or "NaN", "Infinity" or "-Infinity"."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def plain(value: Any) -> Any:
    """Return a value for JSON: lists for arrays, objects for records; see `json_number`."""
    # Check the most frequent types first, because the check for the abstract type is slow.
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if not hasattr(value, "__dict__"):
        return value
    return plain({NAMES_OUTSIDE.get(name, name): part for name, part in vars(value).items()})


def from_plain(kind: type[Record], given: Mapping[str, Any]) -> Record:
    """Return a record of the dataclass `kind`, given the object that `plain` returned for it."""
    names = (each.name for each in dataclasses.fields(cast(Any, kind)))
    return kind(**{name: given[NAMES_OUTSIDE.get(name, name)] for name in names
                   if NAMES_OUTSIDE.get(name, name) in given})  # fmt: skip


@dataclass(frozen=True)
class Break:
    """First break of a network.

    Attributes:
        step: Earliest step at which a rule fired, in updates taken; 0 for the initial weights.
        layer: Lowest layer at which the rule fired ("layer 3", "output"); None for the whole
            network.
        reason, key: Rule in English, and its key in `assets/texts/<language>/story.toml`.
        first_mover: Other layer: the first whose input (root mean square) more than tripled after a
            live change, at least two steps before `step`; else None.
        first_moved_at: Step at which the input of `first_mover` had tripled.
        unit: Unit of the layer, from 1, if the rule is `CONSTANT`; else None.
    """

    step: int
    layer: str | None
    reason: str
    key: str = ""
    first_mover: str | None = None
    first_moved_at: int | None = None
    unit: int | None = None

    @classmethod
    def because(cls, step: int, layer: str | None, key: str, unit: int | None = None) -> Break:
        """Return a break caused by the rule with this key."""
        return cls(step, layer, text(f"story.reason.{key}", ENGLISH), key, unit=unit)


@dataclass(frozen=True)
class Dip:
    """Fall of the mini-batch accuracy after a live change, whether the network recovered or not.

    Attributes:
        value: Lowest mean accuracy of three steps, 0 to 1.
        before: Mean accuracy of five steps at the change.
        over: Step at which the accuracy was back at nine tenths of `before`, or None.
    """

    step: int
    value: float
    before: float
    over: int | None = None


@dataclass(frozen=True)
class AccuracyTrace:
    """Accuracy trace of a network over the last 50 steps.

    Attributes:
        test_accuracies: Steps and accuracies of tests on 256 fixed examples, oldest first: tests in
            the last 50 steps, and one earlier test. There is a test every 25 steps, or every 5
            steps at first, after a fall, and while the accuracy varies much or is near chance.
        batches: Mean accuracy on the mini-batches of the last 50 steps; NaN before the first
            mini-batch.
        fell: Highest and last mean accuracy of five successive mini-batches, or None if the
            difference is within sampling error.
        left_chance: Whether accuracy was ever more than 0.1 above the chance level.
        at_chance_since: Step after the last test above the chance level, or 0.
        loss_ratio: Mean loss of the last five mini-batches ÷ initial loss.
    """

    chance: float
    test_accuracies: tuple[tuple[int, float], ...] = ()
    batches: float = float("nan")
    fell: tuple[float, float] | None = None
    left_chance: bool = False
    at_chance_since: int = 0
    loss_ratio: float = 1.0


@dataclass(frozen=True)
class NetworkRecord:
    """One network at one step.

    Attributes:
        loss: Loss on the next mini-batch in training mode; at inference if the norm is undefined.
        test_loss: Loss on the whole test set at inference.
        test_accuracy: Test accuracy at inference, 0 to 1; NaN if logits are not finite.
        probes: Probe name -> value name -> array. Axis 0 is the layer if there is one.
        measured_at: Probe name -> step at which it was measured, which may be earlier for expensive
            probes.
        learning_rate: Rate of the next step, before `rate_factors`.
        stability_limit: Curvature 2(1 + β)/η whose stability edge is the rate η (Cohen et al.
            2021). None for Adam; NaN if parameter groups have different rates.
        undefined_norm: Reason why the norm is undefined for this batch (size 1 under BN), or None.
        stopped: Step at which the network became non-finite and stopped, or None.
        dip: Fall of the accuracy after the last live change, or None.
        accuracy_trace: Accuracy trace, or None if it was not recorded.
        headline: English sentence for the network's card, or "" before a measurement.
        examples: Number of training examples seen, with repetitions.
        training_seconds, seconds_per_step: Clock times of training, not part of the result.
        predictions: Class for each of the images `Data.shown`, or `NO_PREDICTION`.
    """

    loss: float
    test_loss: float
    test_accuracy: float
    state: State
    broke: Break | None
    probes: dict[str, ProbeValues]
    measured_at: dict[str, int] = field(default_factory=dict)
    learning_rate: float = float("nan")
    stability_limit: float | None = None
    undefined_norm: str | None = None
    stopped: int | None = None
    dip: Dip | None = None
    accuracy_trace: AccuracyTrace | None = None
    headline: str = ""
    examples: int = 0
    epochs: float = 0.0
    training_seconds: float = field(default=0.0, compare=False)
    seconds_per_step: float | None = field(default=None, compare=False)
    predictions: tuple[int, ...] = ()

    def measured(self, probe: str, step: int) -> ProbeValues | None:
        """Return a probe's values if they were measured at this step, otherwise None."""
        return self.probes.get(probe) if self.measured_at.get(probe, step) == step else None

    @property
    def broken(self) -> bool:
        """Return whether the network broke and its state is not "recovered"."""
        return self.broke is not None and self.state != "recovered"


@dataclass(frozen=True)
class Snapshot:
    """State of all networks at one step, by the name of their norm.

    Attributes:
        config: `RunConfig` with which the run started, or None if it is unknown, as in frames.
        changes: Live changes of the run up to this step, or () if they are unknown.
    """

    step: int
    networks: dict[str, NetworkRecord]
    # `RunConfig` is a layer above the records, so its type cannot be named here.
    config: Any = field(default=None, compare=False, repr=False)
    changes: tuple[Change, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class Change:
    """Live change of a run after `step` updates.

    Attributes:
        values: Values of knobs and actions (`bnviz.actions`), by name.
        drag: Number of the drag (mouse gesture) that set the values, or 0.
    """

    step: int
    values: dict[str, float | int | tuple[float | None, ...] | None]
    drag: int = 0
