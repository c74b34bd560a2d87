"""Results of claims as plain values, and the committed results file."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from bnviz.charts import CHARTS
from bnviz.claims import CLAIMS, results
from bnviz.claims.execution import judgements
from bnviz.claims.judgement import StatementOutcome
from bnviz.claims.results import (
    DECLARED_WORDS,
    MeasuredValues,
    Row,
    declaration,
    gather,
    numbers_in,
    read,
    with_again,
    write,
)
from bnviz.claims.statement import Statement, StatementKind, at_most, between
from bnviz.config import RunConfig
from bnviz.words.texts import texts
from tests.claims import made_up
from tests.every_case import every_case

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def measured(made_up_claim):
    (judged,) = judgements(["E0"], range(3))
    return gather({"E0": judged}, "2.13.0+cpu", range(3))


@pytest.fixture(scope="module")
def committed():
    return read()


def test_declared_rows_come_first_and_those_found_here_have_letters(measured):
    (claim,) = measured.claims
    assert (claim.name, claim.note) == ("E0", "A note, 1.")
    assert [(row.place, row.name, row.found) for row in claim.rows] == [
        ("E0.1", "E0.first", False), ("E0.2", "E0.second", False), ("E0.a", "E0.third", True),
    ]  # fmt: skip
    assert measured.torch == "2.13.0"
    assert (measured.seeds, measured.found_seeds) == ((0, 1, 2), (5, 6, 7))


def test_a_row_has_everything_that_is_printed_of_it(measured):
    first, second, third = measured.rows
    assert (first.median, first.lowest, first.highest) == (0.1, 0.0, 0.2)
    assert (first.expected, first.margin, first.met) == (at_most(1), 0.8, 3)
    assert (first.kind, first.outcome, first.lead) == (
        StatementKind.PAPER,
        StatementOutcome.HOLDS,
        "One of two.",
    )
    assert first.watch.query == {"depth": "20", "charts": "growth"}
    assert (first.watch.step, first.not_in_lab) == (0, "")
    assert (second.watch, second.not_in_lab, second.outcome) == (
        None, "No network.", StatementOutcome.FAILS,
    )  # fmt: skip
    assert second.changed
    assert (third.instead_of_place, third.compared, third.comparator_name) == (
        "E0.2", 0.9, "the plain network",
    )  # fmt: skip


def test_words_are_filled_with_the_numbers_of_the_experiment(measured):
    first, second, third = measured.rows
    assert (first.setting, first.numbers, second.numbers) == ("step 1,300", {"step": 1300}, {})
    assert [row.source for row in measured.rows] == [
        "Yang et al. 2019", "earlier run", "found here",
    ]  # fmt: skip
    assert (third.text, third.lead, third.changed) == ("Three.", "", "")


def test_braces_without_a_number_are_an_error():
    with pytest.raises(KeyError, match="other"):
        numbers_in({"step": 1}, {"text": "{step:,} and {other}"})


def row(*values, expected=None):
    return Row(
        key="key", expected=expected or at_most(2), kind=StatementKind.CALCULATION, place="E0.1",
        declared="", seeds=tuple(range(len(values))), values=values, met=0,
        outcome=StatementOutcome.UNDECIDED,
    )  # fmt: skip


def test_a_row_has_median_range_and_margin():
    found = row(3.0, 1.0, 2.0)
    assert (found.median, found.lowest, found.highest, found.margin) == (2.0, 1.0, 3.0, -1.0)
    assert row(4.0, 7.0, 5.0, expected=between(0, 10)).margin == 3.0


def test_a_seed_without_a_number_is_left_out_of_the_median_but_not_of_the_margin():
    found = row(1.0, math.nan, 0.5)
    assert (found.median, found.lowest, found.highest) == (0.75, 0.5, 1.0)
    assert math.isnan(found.margin)


def test_without_any_number_there_is_no_median():
    found = row(math.nan)
    assert all(map(math.isnan, (found.median, found.lowest, found.highest, found.margin)))


def test_what_is_written_is_read_again(measured, tmp_path):
    write(measured, tmp_path / "file.json")
    assert read(tmp_path / "file.json") == measured
    json.loads((tmp_path / "file.json").read_text("utf-8"))


def test_another_file_is_refused(tmp_path):
    (tmp_path / "file.json").write_text('{"torch": 1}')
    with pytest.raises(ValidationError):
        read(tmp_path / "file.json")


@every_case("value", [0.1, -3.0, math.inf, -math.inf, math.nan])
def test_what_is_not_finite_is_read_again_too(value):
    found = MeasuredValues(
        seeds=(0,), values=(value,), outcome=StatementOutcome.HOLDS
    ).model_dump_json()
    json.loads(found, parse_constant=pytest.fail)
    assert MeasuredValues.model_validate_json(found).values == pytest.approx((value,), nan_ok=True)


def test_a_row_is_a_line(measured, tmp_path):
    write(measured, tmp_path / "file.json")
    lines = (tmp_path / "file.json").read_text("utf-8").splitlines()
    assert [line.count('"key"') for line in lines] == [0, 0, 1, 1, 1, 0, 0]


def test_fresh_seeds_stand_beside_the_declared_rows(measured):
    (fresh,) = judgements(["E0"], range(9, 12), found=False)
    again = with_again(measured, {"E0": fresh})
    first, second, third = again.rows
    assert again.again_seeds == (9, 10, 11)
    assert (first.again.values, first.again.outcome) == (
        (0.9, 1.0, 1.1),
        StatementOutcome.UNDECIDED,
    )
    assert second.again.outcome is StatementOutcome.HOLDS
    assert third.again is None
    assert [row.outcome for row in again.rows] == [row.outcome for row in measured.rows]


def test_reading_results_leaves_torch_out():
    code = (
        "import sys, bnviz.claims.results, bnviz.claims.table\n"
        "bnviz.claims.results.read()\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=100).returncode == 0


def stated():
    return {
        f"{name}.{statement.key}": statement
        for name, entry in CLAIMS.items()
        for statement in entry.resolve().statements
    }


def test_the_committed_file_is_of_the_present_statements(committed):
    """`python -m bnviz claim all --save` writes the file. On another processor, some digits
    differ.
    """
    assert [each.name for each in committed.claims] == list(CLAIMS)
    statements = stated()
    assert {row.name for row in committed.rows} == set(statements)
    for row in committed.rows:
        statement = statements[row.name]
        for name in set(Statement.model_fields) - {"expected"}:
            assert getattr(row, name) == getattr(statement, name), f"{row.name}: measure it again"
        ours, theirs = row.expected, statement.expected
        bounds = pytest.approx((theirs.low, theirs.high), rel=1e-8, abs=0)
        assert (ours.low, ours.high) == bounds, f"{row.name}: measure it again"
        assert ours.words == theirs.words, f"{row.name}: measure it again"


def test_what_was_declared_is_as_it_was_when_it_was_measured(committed):
    """The declaration includes the bounds, numbers, seeds and English texts.

    If only the wording changed, `python -m tests.reworded` renews the hash without a measurement.
    """
    others = {}
    for name, statement in stated().items():
        (row,) = [row for row in committed.rows if row.name == name]
        numbers = CLAIMS[row.claim].resolve().numbers
        own = numbers_in(numbers, texts(CLAIMS[row.claim].words, "en")[row.key])
        found = declaration(row.claim, statement, own, row.seeds)
        if found != row.declared:
            others[name] = f"{row.declared} -> {found}"
        assert own == pytest.approx(row.numbers), f"{name}: measure it again"
    assert not others, "measure these again; if only words changed: python -m tests.reworded"


@pytest.mark.parametrize("word", DECLARED_WORDS)
def test_other_words_are_another_declaration(made_up_claim, tmp_path, word):
    statement = made_up.FOUND.model_copy(update={"kind": StatementKind.PAPER})
    words = {**made_up.WORDS["third"], "source": "Nobody"}
    hashes = set()
    for changed in ({}, {word: "Another."}, {"lead": "A remark."}, {"changed": "Another remark."}):
        tables = {**made_up.WORDS, "third": {**words, **changed}}
        with made_up.words_of("E0", tables, tmp_path / f"{len(hashes)}-{'-'.join(changed)}"):
            hashes.add(declaration("E0", statement, {}, (5, 6)))
    assert len(hashes) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"expected": at_most(1.001)}, {"kind": StatementKind.CALCULATION}, {"part": "other"},
        {"instead_of": "second"}, {"difference": True}, {"comparator": "plain"}, {"watch": None},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_another_statement_is_another_declaration(made_up_claim, change):
    first = made_up.DECLARED
    other = first.model_copy(update=change)
    numbers = {"step": 1300}
    assert declaration("E0", first, numbers, (0, 1)) != declaration("E0", other, numbers, (0, 1))


def test_other_numbers_or_seeds_are_another_declaration_but_not_another_rounding(made_up_claim):
    first, seeds = made_up.DECLARED, (0, 1)
    hashes = [
        declaration("E0", first, {"step": 0.1}, seeds),
        declaration("E0", first, {"step": 0.1 + 1e-16}, seeds),
        declaration("E0", first, {"step": 0.2}, seeds),
        declaration("E0", first, {"step": 0.1}, (0, 2)),
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_the_committed_file_rests_on_five_seeds_and_five_others(committed):
    assert committed.seeds == (0, 1, 2, 3, 4)
    assert committed.found_seeds == (5, 6, 7, 8, 9)
    assert committed.again_seeds == (20, 21, 22, 23, 24)
    assert all((row.again is None) is row.found for row in committed.rows)
    assert not re.search(r"/(home|root|tmp|work|usr)\b", results.FILE.read_text("utf-8"))


def test_every_row_opens_in_the_lab_or_says_why_it_cannot(committed):
    for row in committed.rows:
        assert (row.watch is None) is bool(row.not_in_lab), row.place
        if row.watch is not None:
            knobs = dict(row.watch.query)
            charts = knobs.pop("charts", "").split(",")
            assert RunConfig.from_query(knobs).to_query() == knobs
            assert all(CHARTS[name].group == "more" for name in charts if name)


def test_what_does_not_hold_has_another_row_for_it(committed):
    """For each declared row that fails, another row says where its statement holds or what happens
    instead.
    """
    instead = {row.instead_of_place for row in committed.rows}
    failing = {
        row.place
        for row in committed.rows
        if row.outcome is StatementOutcome.FAILS and not row.found
    }
    assert failing <= instead


def test_a_reader_is_told_what_matters_first(committed):
    """The lead sentences fit on one screen: there are at most 32, about two per claim."""
    leads = [row for row in committed.rows if row.lead]
    assert {row.place.partition(".")[0] for row in leads} == set(CLAIMS)
    assert len(leads) <= 32
    assert all(len(row.lead) <= 120 for row in leads)
