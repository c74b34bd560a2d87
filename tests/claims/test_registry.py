"""Every claim is registered, declares an expectation, and avoids common errors."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bnviz.claims import CLAIMS
from bnviz.claims.results import numbers_in
from bnviz.claims.statement import SHARES, Claim, StatementKind, Unit
from bnviz.words.texts import texts
from tests.every_case import every_case

ROOT = Path(__file__).resolve().parents[2]

# Popular sentences that are wrong, or right only under conditions that they omit.
ERRORS = {
    "as Gaussian": r"BN makes .*Gaussian|makes? (inputs|values|activations) (Gaussian|white)",
    "as a cure": r"cures?|(solves|removes|prevents) (the )?(exploding|vanishing)",
    "as a law of smoothness": r"always smooth",
    "as safe": r"can(not|'t| not) diverge",
    "14 times faster": r"14( times|×|-fold)",
    "a wrong variance": r"\b1\.09\b",
    "covariate shift as settled": r"BN (reduces|lowers|removes) (the )?(internal )?covariate shift",
    "the edge as a threshold": r"edge is (the|a) threshold|diverges? (above|beyond) 2/λ",
    "weight decay as capacity": r"capacity",
}


WORDS = {
    "text", "lead", "setting", "quantity", "source", "comparator", "changed", "not_in_lab",
}  # fmt: skip


def words_of(name, statement):
    return texts(CLAIMS[name].words)[statement.key]


def test_all_experiments_are_there_in_order():
    assert list(CLAIMS) == [f"E{number}" for number in range(1, 23)]


@every_case("name", CLAIMS)
def test_every_entry_names_a_claim(name):
    entry = CLAIMS[name]
    claim = entry.resolve()
    assert isinstance(claim, Claim)
    assert entry.label
    assert entry.help.endswith(".")
    assert entry.source
    assert 0 < entry.cost < 30
    assert f".e{int(name[1:]):02}_" in entry.where


@every_case("name", CLAIMS)
def test_statements_can_be_told_apart_and_say_all_they_must(name):
    statements = CLAIMS[name].resolve().statements
    assert len({statement.key for statement in statements}) == len(statements)
    for statement in statements:
        words = words_of(name, statement)
        assert statement.expected.low < statement.expected.high
        assert ("source" in words) is (statement.kind is StatementKind.PAPER), statement.key
        assert ("comparator" in words) is (statement.comparator is not None), statement.key
        assert ("not_in_lab" in words) is (statement.watch is None), statement.key
        assert {"text", "setting", "quantity"} <= set(words) <= WORDS, statement.key
        for text in words.values():
            assert text.strip() == text != ""
            assert "\n" not in text
            assert "!" not in text


@every_case("name", CLAIMS)
def test_no_words_are_left_of_a_statement_that_is_gone(name):
    entry = CLAIMS[name]
    of_statements = {key for key, words in texts(entry.words).items() if isinstance(words, Mapping)}
    assert of_statements == {statement.key for statement in entry.resolve().statements}


@every_case("name", CLAIMS)
def test_words_take_their_numbers_from_the_experiment_and_leave_none(name):
    claim = CLAIMS[name].resolve()
    words = texts(CLAIMS[name].words)
    used = set(numbers_in(claim.numbers, {"note": words.get("note", "")}))
    for statement in claim.statements:
        used |= set(numbers_in(claim.numbers, words[statement.key]))
    assert set(claim.other_numbers) <= used


@every_case("name", CLAIMS)
def test_an_accuracy_is_a_share_and_a_difference_is_one_of_two(name):
    for statement in CLAIMS[name].resolve().statements:
        quantity = words_of(name, statement)["quantity"]
        accuracy = "accuracy" in quantity and "steps to" not in quantity
        assert not accuracy or statement.unit in SHARES, statement.key
        assert not statement.difference or statement.unit is Unit.POINTS, statement.key


@every_case("name", CLAIMS)
def test_a_statement_that_stands_for_another_one_was_found_here(name):
    statements = {each.key: each for each in CLAIMS[name].resolve().statements}
    for statement in statements.values():
        if statement.instead_of is not None:
            assert not statements[statement.instead_of].found
            assert statement.kind in (StatementKind.FOUND, StatementKind.CALCULATION)


@every_case("name", CLAIMS)
def test_parts_are_those_that_statements_name(name):
    claim = CLAIMS[name].resolve()
    assert {each.part for each in claim.statements} - {""} == set(claim.parts)


@every_case("name", CLAIMS)
def test_what_stands_first_can_be_read_alone(name):
    for statement in CLAIMS[name].resolve().statements:
        words = words_of(name, statement)
        if "lead" in words or statement.found:
            first = words.get("lead", words["text"]).split()[0]
            assert first not in ("…", "And", "So", "There", "Then", "Meanwhile", "That")


@every_case("error", ERRORS)
def test_no_text_commits_an_error_common_in_teaching(error):
    for name, entry in CLAIMS.items():
        words = texts(entry.words)
        found = [entry.label, entry.help, words.get("note", "")]
        # A statement may say "BN lowers the shift", because it is tested with a definition of
        # shift.
        for statement in entry.resolve().statements:
            found += [words_of(name, statement).get(key, "") for key in ("text", "lead")]
        for text in found:
            assert not re.search(ERRORS[error], text), f"{name}: {text}"


def test_listing_claims_leaves_torch_out():
    code = "import sys, bnviz.claims, bnviz.claims.statement\nsys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=100).returncode == 0
