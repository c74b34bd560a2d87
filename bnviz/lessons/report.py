"""A report's numbers, as its file has them: read with suspicion, and compared with a run's.

A report is made in the browser (assets/live/dialogs/report.js). Its file has one block of JSON:
the link that runs it again, the live changes, and what was measured at its last step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import orjson

from bnviz.actions import ACTIONS
from bnviz.config import LIVE_KNOBS, ConfigError
from bnviz.lessons.lesson import Outcome
from bnviz.live.contract import LONGEST_LINK, LONGEST_NAME, LONGEST_REPORT, REPORT_FORMAT
from bnviz.planned_runs.plan import FASTEST, MOST_PLANNED_CHANGES, MOST_STEPS, Plan
from bnviz.records import Change, NetworkRecord, State
from bnviz.words.phrase import Phrase, integer_between, one_of, phrase

LONGEST_KEY = 40  # characters
MOST_REPORTED = 8  # networks
# Beyond it a run is not made again: a series goes no further either.
MOST_STEPS_AGAIN = 5_000
# Two machines write and read the same number: only a number that was changed differs more.
SAME = 1e-9

FIELDS = ("bnviz", "version", "link", "who", "step", "changes", "networks", "verdict")
NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a network came to.

    Attributes:
        test_accuracy: 0 to 1; NaN where its outputs are not finite.
        test_loss: on the whole test set.
        state: what happened to it.
    """

    test_accuracy: float
    test_loss: float
    state: str

    @classmethod
    def of(cls, record: NetworkRecord) -> Reading:
        """That of a record."""
        return cls(
            test_accuracy=record.test_accuracy, test_loss=record.test_loss, state=record.state
        )


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The numbers of a run at its last step, reported or found.

    Attributes:
        step: the step.
        networks: by norm.
        outcome: the verdict's, or None where there is none.
        answer: the answer that the run gives, or None.
    """

    step: int
    networks: Mapping[str, Reading]
    outcome: str | None = None
    answer: str | None = None


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the file of a report says.

    Attributes:
        link: the address that runs it again; from outside, so it is read and never followed.
        who: the name that the learner typed, or "".
        changes: every live change, planned ones included, ascending by step.
        measured: the numbers.
    """

    link: str
    who: str
    changes: tuple[Change, ...]
    measured: Measured


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A number that a report has otherwise than the run.

    Attributes:
        network: whose it is; "" for the whole run.
        what: its name: a field of `Reading` or of `Measured`.
        reported: in the report; None: it has none.
        found: when it was run again.
    """

    network: str
    what: str
    reported: Any
    found: Any

    @property
    def by(self) -> float | None:
        """By how much; None where that is no number."""
        numbers = (self.reported, self.found)
        if not all(isinstance(each, int | float) and math.isfinite(each) for each in numbers):
            return None
        return float(self.found - self.reported)


def differences(reported: Measured, found: Measured) -> tuple[Difference, ...]:
    """Every number that differs; none: they are the same.

    A report without a verdict may be of a run whose result was hidden: then it is not compared.
    """
    seen: list[Difference] = []

    def look(network: str, what: str, one: Any, other: Any) -> None:
        if not _same(one, other):
            seen.append(Difference(network=network, what=what, reported=one, found=other))

    look("", "step", reported.step, found.step)
    for norm in dict.fromkeys((*found.networks, *reported.networks)):
        one, other = reported.networks.get(norm), found.networks.get(norm)
        for what in ("test_accuracy", "test_loss", "state"):
            look(norm, what, getattr(one, what, None), getattr(other, what, None))
    if reported.outcome is not None:
        look("", "outcome", reported.outcome, found.outcome)
        look("", "answer", reported.answer, found.answer)
    return tuple(seen)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)
    return bool(one == other)


def check_length(last_step: int) -> None:
    """Make sure that a run can be made again up to its last step.

    Raises:
        ConfigError: it has too many steps.
    """
    if last_step > MOST_STEPS_AGAIN:
        raise ConfigError("step", last_step, integer_between(1, MOST_STEPS_AGAIN))


def plan_again(report: Report, plan: Plan | None) -> Plan:
    """The plan that makes a report's run again, up to its last step and as fast as it can.

    Args:
        report: its changes are all that were made, so they replace those of the plan.
        plan: of the lesson; None: of the lab, which has none.

    Raises:
        ConfigError: it has too many steps to be run again.
    """
    last = report.measured.step
    check_length(last)
    shown = (step for step in (plan.shown if plan else ()) if step < last)
    return Plan(
        rates=((last, FASTEST),), last_step=last, shown=(*shown, last),
        changes=tuple(change for change in report.changes if change.step < last),
        keep=plan.keep if plan else (), probes=plan.probes if plan else (),
    )  # fmt: skip


def read_report(text: str) -> Report:
    """A report, from the block of JSON in its file.

    Raises:
        ConfigError: it is none of ours, or a field has another value than it may have.
    """
    if len(text) > LONGEST_REPORT:
        raise ConfigError("report", f"{len(text)}", phrase("errors.bytes", most=LONGEST_REPORT))
    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ConfigError("report", text, phrase("errors.json")) from None
    table = _table("report", given, FIELDS)
    _choice("bnviz", table.get("bnviz"), ("report",))
    version = table.get("version")
    known = type(version) is int and version == REPORT_FORMAT
    _need("version", version, known, one_of((str(REPORT_FORMAT),)))
    step = _whole("step", table.get("step"), 1, MOST_STEPS)
    networks = _networks(table.get("networks"))
    verdict = table.get("verdict")
    outcome, answer = (None, None) if verdict is None else _verdict(verdict)
    return Report(
        link=_line("link", table.get("link"), LONGEST_LINK),
        who=_line("who", table.get("who", ""), LONGEST_NAME, least=0).strip(),
        changes=_changes(table.get("changes", [])),
        measured=Measured(
            step=step, networks=networks, outcome=outcome, answer=answer
        ),
    )  # fmt: skip


def _networks(given: Any) -> dict[str, Reading]:
    _need("networks", given, isinstance(given, dict), phrase("errors.json_object"))
    allowed = phrase("errors.at_most_fields", most=MOST_REPORTED)
    _need("networks", len(given), len(given) <= MOST_REPORTED, allowed)
    return {
        _line("networks", name, LONGEST_KEY): _reading(f"networks.{name}", one)
        for name, one in given.items()
    }


def _reading(field: str, given: Any) -> Reading:
    table = _table(field, given, ("test_accuracy", "test_loss", "state"))
    accuracy = _number(f"{field}.test_accuracy", table.get("test_accuracy"))
    allowed = phrase("errors.float_between", low=0, high=1)
    _need(f"{field}.test_accuracy", accuracy, math.isnan(accuracy) or 0 <= accuracy <= 1, allowed)
    state = _choice(f"{field}.state", table.get("state"), get_args(State))
    loss = _number(f"{field}.test_loss", table.get("test_loss"))
    return Reading(test_accuracy=accuracy, test_loss=loss, state=state)


def _verdict(given: Any) -> tuple[str, str | None]:
    table = _table("verdict", given, ("outcome", "answer"))
    outcome = _choice("verdict.outcome", table.get("outcome"), get_args(Outcome))
    answer = table.get("answer")
    return outcome, None if answer is None else _line("verdict.answer", answer, LONGEST_KEY)


def _changes(given: Any) -> tuple[Change, ...]:
    """The live changes; those of one step are one, as the run makes them."""
    allowed = phrase("errors.report_changes", most=MOST_PLANNED_CHANGES)
    _need(
        "changes",
        given,
        isinstance(given, list) and len(given) <= 10 * MOST_PLANNED_CHANGES,
        allowed,
    )
    known = (*LIVE_KNOBS, *ACTIONS)
    found: list[tuple[int, dict[str, Any]]] = []
    for place, one in enumerate(given):
        field = f"changes.{place}"
        table = _table(field, one, ("step", "values", "drag"))
        step = _whole(f"{field}.step", table.get("step"), 0, MOST_STEPS)
        values = _table(f"{field}.values", table.get("values"), known)
        found.append((step, {n: tuple(v) if isinstance(v, list) else v for n, v in values.items()}))
    return one_a_step(found)


def one_a_step(given: Iterable[tuple[int, Mapping[str, Any]]]) -> tuple[Change, ...]:
    """Live changes, ascending by step, from steps and values; those of one step are one.

    Raises:
        ConfigError: an action is done twice at a step, or there are changes at too many steps.
    """
    found: dict[int, dict[str, Any]] = {}
    for place, (step, values) in enumerate(given):
        before = found.setdefault(step, {})
        twice = next((name for name in values if name in before and name in ACTIONS), None)
        _need(f"changes.{place}.values", twice, twice is None, phrase("errors.once"))
        before |= values
    allowed = phrase("errors.report_changes", most=MOST_PLANNED_CHANGES)
    _need("changes", len(found), len(found) <= MOST_PLANNED_CHANGES, allowed)
    return tuple(Change(step=step, values=found[step]) for step in sorted(found))


def _table(field: str, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """A JSON object that has no other fields than these."""
    _need(field, given, isinstance(given, dict), phrase("errors.json_object"))
    for name in given:
        _choice(field, name, names)
    return dict(given)


def _choice(field: str, given: Any, known: Sequence[str]) -> str:
    _need(field, given, given in known, one_of(known))
    return str(given)


def _whole(field: str, given: Any, low: int, high: int) -> int:
    _need(field, given, type(given) is int and low <= given <= high, integer_between(low, high))
    return int(given)


def _number(field: str, given: Any) -> float:
    """A number, or the name of one that is not finite."""
    if isinstance(given, str) and given in NOT_FINITE:
        return NOT_FINITE[given]
    fits = isinstance(given, int | float) and not isinstance(given, bool)
    _need(field, given, fits, phrase("errors.report_number", names=", ".join(NOT_FINITE)))
    return float(given)


def _line(field: str, given: Any, most: int, *, least: int = 1) -> str:
    fits = isinstance(given, str) and least <= len(given) <= most and given.isprintable()
    _need(field, given, fits, phrase("errors.plain_text", most=most))
    return str(given)


def _need(field: str, value: Any, fits: bool, allowed: Phrase) -> None:
    if not fits:
        raise ConfigError(field, value, allowed)
