"""What was measured, as plain values, and the committed file of them."""

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
from bnviz.claims.judgement import Outcome
from bnviz.claims.results import gather, plain, read, value_of, with_again, write
from bnviz.claims.statement import Watch
from bnviz.config import RunConfig
from tests.claims import made_up

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.setitem(CLAIMS, "E0", made_up.ENTRY)
    (judged,) = judgements(["E0"], range(3))
    return gather({"E0": judged}, "2.13.0+cpu", range(3))


@pytest.fixture(scope="module")
def committed():
    return read()


def test_declared_rows_come_first_and_those_found_here_have_letters(measured):
    (experiment,) = measured.experiments
    assert (experiment.label, experiment.note) == ("Made up", "A note.")
    assert [(row.place, row.key, row.found) for row in experiment.rows] == [
        ("E0.1", "first", False), ("E0.2", "second", False), ("E0.a", "third", True),
    ]  # fmt: skip
    assert measured.torch == "2.13.0"
    assert (measured.seeds, measured.found_seeds) == ((0, 1, 2), (5, 6, 7))


def test_a_row_has_everything_that_is_printed_of_it(measured):
    first, second, third = measured.rows
    assert (first.median, first.lowest, first.highest) == (0.1, 0.0, 0.2)
    assert (first.low, first.high, first.margin, first.met) == (None, 1.0, 0.8, 3)
    assert (first.kind, first.outcome, first.lead) == ("paper", Outcome.HOLDS, "One of two.")
    assert first.query == {"depth": "20", "charts": "growth"}
    assert (first.step, first.no_query) == (0, "")
    assert (second.query, second.no_query, second.outcome) == (None, "No network.", Outcome.FAILS)
    assert second.changed
    assert (third.instead_of, third.compared, third.comparator) == (
        "E0.2", 0.9, "the plain network",
    )  # fmt: skip


def test_what_is_written_is_read_again(measured, tmp_path):
    write(measured, tmp_path / "file.json")
    assert read(tmp_path / "file.json") == measured
    json.loads((tmp_path / "file.json").read_text("utf-8"))


def test_another_file_is_refused(tmp_path):
    (tmp_path / "file.json").write_text('{"torch": 1}')
    with pytest.raises(ValidationError):
        read(tmp_path / "file.json")


@pytest.mark.parametrize("value", [0.1, -3.0, math.inf, -math.inf, math.nan])
def test_what_is_not_finite_is_a_word(value):
    assert value_of(plain(value)) == pytest.approx(value, nan_ok=True)
    assert isinstance(plain(value), float) is math.isfinite(value)


def test_fresh_seeds_stand_beside_the_declared_rows(measured):
    (fresh,) = judgements(["E0"], range(9, 12), found=False)
    again = with_again(measured, {"E0": fresh})
    first, second, third = again.rows
    assert again.again_seeds == (9, 10, 11)
    assert (first.again.values, first.again.outcome) == ((0.9, 1.0, 1.1), Outcome.UNDECIDED)
    assert second.again.outcome is Outcome.HOLDS
    assert third.again is None
    assert [row.key for row in again.changed_again] == ["first", "second"]
    assert [row.outcome for row in again.rows] == [row.outcome for row in measured.rows]


def test_reading_results_leaves_torch_out():
    code = (
        "import sys, bnviz.claims.results, bnviz.claims.table\n"
        "bnviz.claims.results.read()\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=100).returncode == 0


def test_the_committed_file_is_that_of_the_present_statements(committed):
    """Written by `python -m bnviz claim all --save`; the digits are its own."""
    stated = {
        (name, each.key): each
        for name, entry in CLAIMS.items()
        for each in entry.resolve().statements
    }
    found = {(each.name, row.key): row for each in committed.experiments for row in each.rows}
    assert set(found) == set(stated)
    for key, row in found.items():
        statement = stated[key]
        for name in ("text", "lead", "setting", "quantity", "source", "found", "changed"):
            assert getattr(row, name) == getattr(statement, name), key
        assert row.expected == statement.expected.words
        watch = statement.watch
        assert row.query == (results._query(watch) if isinstance(watch, Watch) else None)
    assert [each.label for each in committed.experiments] == [
        each.label for each in CLAIMS.values()
    ]


def test_the_committed_file_rests_on_five_seeds_and_five_others(committed):
    assert committed.seeds == (0, 1, 2, 3, 4)
    assert committed.found_seeds == (5, 6, 7, 8, 9)
    assert committed.again_seeds == (20, 21, 22, 23, 24)
    assert all((row.again is None) is row.found for row in committed.rows)
    assert not re.search(r"/(home|root|tmp|work|usr)\b", results.FILE.read_text("utf-8"))


def test_every_row_opens_in_the_lab_or_says_why_it_cannot(committed):
    for row in committed.rows:
        assert (row.query is None) is bool(row.no_query), row.place
        if row.query is not None:
            knobs = dict(row.query)
            charts = knobs.pop("charts", "").split(",")
            assert RunConfig.from_query(knobs).to_query() == knobs
            assert all(CHARTS[name].group == "more" for name in charts if name)


def test_what_does_not_hold_has_another_row_for_it(committed):
    """Of every declared row that fails one says where it holds, or what is seen in its place."""
    instead = {row.instead_of for row in committed.rows}
    failing = {
        row.place for row in committed.rows if row.outcome is Outcome.FAILS and not row.found
    }
    assert failing <= instead


def test_a_reader_is_told_what_matters_first(committed):
    """A screen of it: at most two statements an experiment."""
    leads = [row for row in committed.rows if row.lead]
    assert {row.place.partition(".")[0] for row in leads} == set(CLAIMS)
    assert len(leads) <= 30
    assert all(len(row.lead) <= 120 for row in leads)
