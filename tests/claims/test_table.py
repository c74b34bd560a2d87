"""Results in words, and the table in the documentation."""

import json
import math
import re
from pathlib import Path

import pytest

from bnviz.claims.amounts import format_amount, median_and_range
from bnviz.claims.execution import judgements
from bnviz.claims.judgement import StatementOutcome
from bnviz.claims.results import gather, read, with_again
from bnviz.claims.statement import at_most
from bnviz.claims.table import (
    again_words,
    counts,
    declared,
    exact_words,
    in_full,
    outcome,
    seeds_met,
    source,
    to_markdown,
    to_text,
)
from tests.every_case import every_case

README = Path(__file__).resolve().parents[2] / "bnviz" / "claims" / "README.md"


@pytest.fixture
def results(made_up_claim):
    (judged,) = judgements(["E0"], range(3))
    (fresh,) = judgements(["E0"], range(9, 12), found=False)
    return with_again(gather({"E0": judged}, "2.13.0+cpu", range(3)), {"E0": fresh})


@every_case(
    ("value", "text"),
    [
        (0.0, "0"), (1.211, "1.21"), (0.9789, "0.979"), (-0.0028, "−0.0028"), (0.1, "0.100"),
        (57174.2, "57,174"), (123456.0, "1e5"), (3.2e-16, "3e-16"), (-2e-7, "−2e-7"),
        (28.16, "28.2"), (math.nan, "none"), (math.inf, "∞"), (-math.inf, "−∞"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_a_person_would(value, text):
    assert format_amount(value) == text


def test_a_row_in_words(results):
    first, second, third = results.rows
    assert median_and_range(first) == "0.100 (0 to 0.200)"
    missing = first.model_copy(update={"values": (2.0, math.nan)})
    assert median_and_range(missing) == "2.00; no number in 1"
    assert median_and_range(first, first.again) == "1.00 (0.900 to 1.10)"
    assert seeds_met(second) == "0 of 3"
    assert outcome(second) == "does not hold"
    at_chance = third.model_copy(update={"outcome": StatementOutcome.NO_EVIDENCE, "compared": 0.1})
    assert outcome(at_chance) == "no evidence: the plain network is at chance level (10.0 %)"
    assert source(third) == "found here, instead of E0.2"
    assert source(first) == "Yang et al. 2019"


def test_a_claim_on_a_terminal(results):
    (claim,) = results.claims
    text = to_text(claim)
    assert text.startswith("E0  Made up (Nobody)\n  E0.1  holds: One | two.\n")
    assert "E0.1  holds: One | two." in text
    assert "seeds     5 to 7; as expected in 3 of 3, margin 2.00" in text
    assert "changed   Step 300 was declared first" in text


def test_a_row_in_full_is_json_whatever_was_measured(results):
    first, _, third = results.rows
    nowhere = first.model_copy(update={"values": (math.nan, math.inf)})
    found = json.loads(json.dumps(in_full(nowhere), allow_nan=False))
    assert (found["values"], found["median"]) == (["NaN", "Infinity"], "Infinity")
    assert (found["low"], found["high"], found["expected"]) == (None, 1, "≤ 1")
    assert (found["query"], found["step"], found["no_query"]) == (first.query, 0, "")
    assert (found["text"], found["setting"]) == ("One | two.", "step 1,300")
    assert found["again"]["outcome"] == first.again.outcome
    found = in_full(third)
    assert (found["query"], found["step"], found["again"]) == (None, None, None)
    assert (found["no_query"], found["instead_of"]) == ("No network.", "E0.2")


def test_the_headline_counts_what_was_declared_and_nothing_else(results):
    assert [row.key for row in declared(results)] == ["first", "second"]
    assert counts(declared(results))[StatementOutcome.HOLDS] == 1
    page = to_markdown(results)
    assert "| Stated by | holds | does not hold | of |" in page
    assert "| a paper | 1 | 0 | 1 |" in page
    assert "| an earlier run | 0 | 1 | 1 |" in page
    assert "| **all** | 1 | 1 | 2 |" in page


def test_identities_are_counted_apart(results):
    assert exact_words(results).startswith("0 of the 1 statements that hold are identities")
    (claim,) = results.claims
    first = claim.rows[0].model_copy(update={"expected": at_most(1e-12)})
    exact = claim.model_copy(update={"rows": (first, *claim.rows[1:])})
    found = exact_words(results.model_copy(update={"claims": (exact,)}))
    assert found.startswith("1 of the 1 statements that hold are identities")


def test_fresh_seeds_are_told_of(results):
    assert again_words(results) == (
        "On fresh seeds (9 to 11), which nobody had looked at, 2 of 2 statements made beforehand "
        "have another outcome (holds → not decided: E0.1; does not hold → holds: E0.2); some are "
        "reversed."
    )
    assert again_words(results) in to_markdown(results)


def test_the_page_begins_with_what_a_reader_can_rely_on(results):
    page = to_markdown(results)
    lead = page.index("- One of two. (E0.1: 0.100 (0 to 0.200), not decided on fresh seeds)")
    assert page.index("**Holds**") < lead < page.index("## How to read it")
    assert "**Not decided**" not in page.partition("## How to read it")[0]


def test_the_page_has_two_tables_and_a_row_for_each_statement(results):
    page = to_markdown(results)
    assert page.index("**Stated beforehand**, seeds 0 to 2") < page.index(
        "**Found here**, seeds 5 to 7"
    )
    rows = [cells(line) for line in page.splitlines() if re.match(r"\| E\d", line)]
    assert [row[1] for row in rows] == [
        "One | two.",
        "Two. *Changed: Step 300 was declared first; 0.5 was found.*",
        "↳ Three.",
    ]
    assert [row[8] for row in rows] == ["holds", "**does not hold**", "holds"]
    assert rows[2][3] == "quantity; the plain network has an accuracy of 90.0 %"
    assert "torch 2.13.0," in page
    assert "`/lab?preset=e6-gradients-grow`" in page


def cells(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_committed_table_is_made_of_the_committed_results():
    assert README.read_text(encoding="utf-8") == to_markdown(read())
