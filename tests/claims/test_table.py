"""Judgements in words, and the table in the documentation."""

import math
import re
from pathlib import Path

import pytest

from bnviz.claims import CLAIMS
from bnviz.claims.execution import judgements
from bnviz.claims.statement import Judgement, Statement, at_most, between
from bnviz.claims.table import FAILS, HOLDS, number, spread, to_json, to_markdown, verdict

README = Path(__file__).resolve().parents[2] / "bnviz" / "claims" / "README.md"


def judgement(*values, expected=None):
    statement = Statement(
        key="key", text="One | two.", setting="setting", quantity="quantity",
        expected=expected or at_most(1), source="calculation",
    )  # fmt: skip
    return Judgement("E2", statement, tuple(range(len(values))), values)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (1.211, "1.21"), (0.9789, "0.979"), (-0.0028, "−0.0028"), (0.1, "0.100"),
        (57174.2, "57,174"), (123456.0, "1e5"), (3.2e-16, "3e-16"), (-2e-7, "−2e-7"),
        (28.16, "28.2"), (math.nan, "none"), (math.inf, "∞"), (-math.inf, "−∞"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_a_person_would(value, text):
    assert number(value) == text


def test_median_and_range():
    assert spread(judgement(1.0, 3.0, 2.0)) == "2.00 (1.00 to 3.00)"
    assert spread(judgement(2.0, 2.0)) == "2.00"
    assert spread(judgement(2.0, math.nan, 3.0)) == "2.50 (2.00 to 3.00); none in 1"
    assert spread(judgement(math.nan, math.nan)) == "none"


def test_verdicts_tell_how_many_seeds_agree():
    assert verdict(judgement(0.5, 0.6)) == HOLDS
    assert verdict(judgement(2.0, 3.0)) == FAILS
    assert verdict(judgement(0.5, 3.0)) == f"{FAILS} (1 of 2 seeds)"
    wide = between(0, 1)
    assert verdict(judgement(0.5, 0.6, 3.0, expected=wide)) == f"{HOLDS} (2 of 3 seeds)"


def test_plain_values_write_what_is_not_finite_as_a_word():
    plain = to_json(judgement(1.0, math.nan, math.inf))
    assert plain["values"] == [1.0, "NaN", "Infinity"]
    assert plain["median"] == "Infinity"
    assert plain["holds"] is False
    assert plain["expected"] == "≤ 1 in every seed"


def test_the_page_has_a_row_for_each_statement():
    found = {each[0].claim: each for each in judgements(["E2", "E16"], [0, 1])}
    page = to_markdown(found, "2.13.0+cpu")
    rows = [line for line in page.splitlines() if line.startswith("| E")]
    assert [row.split(" | ")[1].removeprefix("↳ ") for row in rows] == [
        each.statement.text for claim in found.values() for each in claim
    ]
    assert "torch 2.13.0, seeds 0, 1" in page
    assert "+cpu" not in page


def cells(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_committed_table_is_that_of_the_present_statements():
    """Written by `python -m bnviz claim all`; the digits are its own."""
    page = README.read_text(encoding="utf-8")
    rows = [cells(line) for line in page.splitlines() if re.match(r"\| E\d", line)]
    expected = []
    for name, entry in CLAIMS.items():
        assert f"## {name} {entry.label}" in page
        for position, statement in enumerate(entry.resolve().statements, 1):
            mark = "↳ " if statement.instead_of else ""
            expected.append(
                [f"{name}.{position}", mark + statement.text, statement.setting,
                 statement.quantity, statement.expected.words]
            )  # fmt: skip
    assert [row[:5] for row in rows] == expected


def test_the_committed_table_rests_on_five_seeds_and_names_no_machine():
    page = README.read_text(encoding="utf-8")
    assert "seeds 0, 1, 2, 3, 4" in page
    assert not re.search(r"/(home|root|tmp|work|usr)\b", page)


def test_what_does_not_hold_has_another_setting_beside_it():
    """Each failing row of the committed table is followed by rows for where it does hold."""
    page = README.read_text(encoding="utf-8")
    rows = [cells(line) for line in page.splitlines() if re.match(r"\| E\d", line)]
    remedied = {row[7].rpartition(" for ")[2] for row in rows if row[1].startswith("↳")}
    failing = {row[0] for row in rows if FAILS in row[6]}
    assert failing <= remedied
    assert not [row[0] for row in rows if row[1].startswith("↳") and FAILS in row[6]]
