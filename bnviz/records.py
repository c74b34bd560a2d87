"""What a run hands out: NumPy arrays and plain values, never tensors.

Everything downstream of the engine (frames, charts, sentences, exports) reads these records and
needs neither torch nor the network that was measured.
"""

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

# Keys of the reasons of a break: of a layer, and of the whole network. Their words stand under
# `reason` in `assets/texts/<language>/story.toml`.
SATURATED, DEAD, LARGE, NONFINITE = "saturated", "dead", "large", "nonfinite"
BLOWN_UP, AT_CHANCE = "blown_up", "at_chance"
# A norm divided 0 by 0, which it can only where ε is 0.
CONSTANT = "constant"

# What stands for a prediction where the logits of an image are not finite.
NO_PREDICTION = 255

# Fields of records that frames and exported files have under another name.
NAMES_OUTSIDE = {
    "first_mover": "moved", "first_moved_at": "moved_at", "undefined_norm": "paused",
}  # fmt: skip

Record = TypeVar("Record")


def reached(accuracy: float) -> float:
    """Return an accuracy, 0 to 1; 0 for NaN, which a network with non-finite logits has."""
    return 0.0 if math.isnan(accuracy) else accuracy


def json_number(value: float) -> float | str:
    """A number for JSON: itself, or "NaN", "Infinity" or "-Infinity"."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def plain(value: Any) -> Any:
    """A value for JSON: numbers as `json_number` writes them, arrays as lists, records as objects."""
    # First what most values are: the abstract type below is slow to ask.
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
    """Return the record of a dataclass from its form as `plain` writes it."""
    names = (each.name for each in dataclasses.fields(cast(Any, kind)))
    return kind(**{name: given[NAMES_OUTSIDE.get(name, name)] for name in names
                   if NAMES_OUTSIDE.get(name, name) in given})  # fmt: skip


@dataclass(frozen=True)
class Break:
    """What broke first in a network.

    Attributes:
        step: the earliest step at which a rule fired, in updates taken: the snapshot of that step
            shows it. 0 where the first weights are broken already.
        layer: the lowest layer for which it fired at that step ("layer 3", "output"), or None when
            the rule speaks of the whole network.
        reason: the rule that fired, in English words.
        key: the same as a key of `reason` in `assets/texts/<language>/story.toml`; "" where there
            is none.
        first_mover: another layer, that was the first after a live change to receive over three times
            as much as before it (root mean square), at least two steps before `step`; else None.
        first_moved_at: the step at which it did.
        unit: of the layer, from 1, where the rule is `CONSTANT`; else None.
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
        """A break by the rule of this key."""
        return cls(step, layer, text(f"story.reason.{key}", ENGLISH), key, unit=unit)


@dataclass(frozen=True)
class Dip:
    """A fall of the mini-batch accuracy after a live change, whether or not it comes back.

    Attributes:
        step: where it began.
        value: the lowest mean of three steps, 0 to 1.
        before: the mean of five at the change.
        over: the step at which nine tenths of that were regained; None as long as it is low.
    """

    step: int
    value: float
    before: float
    over: int | None = None


@dataclass(frozen=True)
class AccuracyTrace:
    """How the accuracy of a network went over the last 50 steps, and since when it is at chance.

    Attributes:
        chance: 1 / classes.
        test_accuracies: the steps within the last 50, and the one before, at which the run looked at 256
            fixed test examples, and the accuracy there, oldest first; without this step's own. It
            looks every 25 steps; every 5 in its first 25, and as long as looks differ much or
            hardly leave chance.
        batches: mean accuracy on the mini-batches of the last 50 steps; NaN before the first.
        fell: the highest and the last mean accuracy of five successive mini-batches of those, if
            the last is lower by more than mini-batches of that size vary; else None.
        left_chance: whether it was ever plainly above chance: by 0.1, at a look or on 50
            mini-batches.
        at_chance_since: the step after the last look that was above chance; 0 if none was.
        loss_ratio: mean loss of the last five mini-batches, by that at the start.
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
        loss: on the mini-batch about to be used, training mode (inference mode for a network that
            is paused because its norm is undefined for such a batch).
        test_loss: on the whole test set, inference mode.
        test_accuracy: share of test examples classified correctly, inference mode, 0 to 1; NaN for
            a network whose logits are not finite, which classifies nothing.
        state: what happened to the network so far.
        broke: what broke first, or None.
        probes: probe name -> value name -> array. Axis 0 is the layer where there is one.
        measured_at: probe name -> the step at which it was measured; older than the record's
            step where a probe was too expensive to run again.
        learning_rate: the rate of this network's next step, before `rate_factors`.
        stability_limit: 2(1 + β)/η with the rate η of all parameters and the present momentum: the
            curvature at whose edge gradient descent is (Cohen et al. 2021). None for Adam, which
            has no such number; NaN as long as groups of parameters have rates of their own.
        undefined_norm: why the network takes no steps at present (batch size 1 under BN), or None.
        stopped: the step at which the network became non-finite and stopped, or None. What broke
            first may have been earlier.
        dip: the fall after the last live change, or None.
        accuracy_trace: how its accuracy went over the last steps; None where nobody took note.
        headline: what its card says of it in one sentence, in English; "" before it is measured.
        examples: training examples it has learned from so far, each counted as often as it came.
        epochs: the same, by how many there are.
        training_seconds: processor time of all its steps together, without what was measured
            between them. It is measured by a clock and not a part of the result, and so is
        seconds_per_step: the mean over this network's last steps, or None before the second.
        predictions: the class that the network predicts for each of the eight images
            `Data.shown`, from the logits of `test_accuracy`; `NO_PREDICTION` where the logits are
            not finite. Empty where the data are no images.
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
        """A probe's values if they were measured at this very step."""
        return self.probes.get(probe) if self.measured_at.get(probe, step) == step else None

    @property
    def broken(self) -> bool:
        """Whether it broke and is not as good again as it was before."""
        return self.broke is not None and self.state != "recovered"


@dataclass(frozen=True)
class Snapshot:
    """Every network at one step, keyed by the name of its normalization."""

    step: int
    networks: dict[str, NetworkRecord]


@dataclass(frozen=True)
class Change:
    """A live change: the step before which it took effect, the knobs it set and the actions done.

    Attributes:
        step: updates taken before it.
        values: the knobs; and by name, what each action (`bnviz.actions`) was given.
        drag: number of the gesture that it is one value of; 0 for a change on its own.
    """

    step: int
    values: dict[str, float | int | tuple[float | None, ...] | None]
    drag: int = 0
