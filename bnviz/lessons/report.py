"""Reports of runs: validation of their numbers, and comparison with a repeated run.

The browser makes reports (assets/live/dialogs/report.js). The file of a report has one block of
JSON: the link that repeats the run, the live changes, and the results at the last step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import orjson

from bnviz.actions import ACTIONS
from bnviz.config import LIVE_KNOBS, ConfigError
from bnviz.lessons.lesson import VerdictOutcome
from bnviz.live.contract import LONGEST_LINK, LONGEST_NAME, LONGEST_REPORT, REPORT_FORMAT
from bnviz.planned_runs.plan import FASTEST, MOST_PLANNED_CHANGES, MOST_STEPS, Plan
from bnviz.records import Change, NetworkRecord, State
from bnviz.words.phrase import Phrase, integer_between, one_of, phrase

LONGEST_KEY = 40  # characters
MOST_REPORTED = 8  # networks
# Maximum number of steps of a run that is repeated, the same as for the runs of a comparison.
MOST_STEPS_AGAIN = 5_000
# Maximum difference at which two numbers count as equal. All machines write and read numbers
# identically, so a larger difference means that a number was edited.
SAME = 1e-9

FIELDS = ("bnviz", "version", "link", "who", "step", "changes", "networks", "verdict")
NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Final results of one network; the accuracy is NaN if its outputs are not finite."""

    test_accuracy: float
    test_loss: float
    state: str

    @classmethod
    def of(cls, record: NetworkRecord) -> Reading:
        return cls(
            test_accuracy=record.test_accuracy, test_loss=record.test_loss, state=record.state
        )


@dataclass(frozen=True, kw_only=True)
class ReportedResult:
    """Results of a run at its last step, from a report or from the repeated run."""

    step: int
    networks: Mapping[str, Reading]
    outcome: str | None = None
    answer: str | None = None


@dataclass(frozen=True, kw_only=True)
class Report:
    """Contents of a report file.

    Attributes:
        link: address that repeats the run. It is untrusted: it is parsed but never opened.
        changes: all live changes, including planned ones, ascending by step.
    """

    link: str
    who: str
    changes: tuple[Change, ...]
    measured: ReportedResult


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Difference between a report and the repeated run.

    Attributes:
        network: name of the network, or "" for the whole run.
        what: field of `Reading` or `ReportedResult`.
    """

    network: str
    what: str
    reported: Any
    found: Any

    @property
    def by(self) -> float | None:
        """Return `found` − `reported`, or None if they are not both finite numbers."""
        numbers = (self.reported, self.found)
        if not all(isinstance(each, int | float) and math.isfinite(each) for each in numbers):
            return None
        return float(self.found - self.reported)


def differences(reported: ReportedResult, found: ReportedResult) -> tuple[Difference, ...]:
    """Return every field that differs; an empty tuple if all are equal.

    Verdicts are not compared if the report has none, because its verdict may have been hidden.
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
    """Raise ConfigError if a run has too many steps to be repeated."""
    if last_step > MOST_STEPS_AGAIN:
        raise ConfigError("step", last_step, integer_between(1, MOST_STEPS_AGAIN))


def plan_again(report: Report, plan: Plan | None) -> Plan:
    """Return the plan that repeats the run of a report, at full speed up to its last step.

    The report's changes include the planned ones, so they replace the changes of `plan`. In the
    lab, `plan` is None.
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
    """Parse and validate the JSON block of a report file.

    Raises:
        ConfigError: the text is not a report, or the value of a field is not allowed.
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
        measured=ReportedResult(
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
    outcome = _choice("verdict.outcome", table.get("outcome"), get_args(VerdictOutcome))
    answer = table.get("answer")
    return outcome, None if answer is None else _line("verdict.answer", answer, LONGEST_KEY)


def _changes(given: Any) -> tuple[Change, ...]:
    """Parse the live changes, and merge changes of the same step."""
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
    """Merge live changes by step, ascending; raise ConfigError if an action repeats at a step."""
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
    """Check that a value is a JSON object without fields other than `names`."""
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
    """Parse a number, or the name of a non-finite number."""
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
