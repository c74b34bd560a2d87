"""Every experiment is there, says what it expects, and commits none of the common errors."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bnviz.claims import CLAIMS
from bnviz.claims.statement import Claim, Kind

ROOT = Path(__file__).resolve().parents[2]

# Sentences that circulate and are wrong, or right only with what they leave out.
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


def test_all_seventeen_experiments_are_there_in_order():
    assert list(CLAIMS) == [f"E{number}" for number in range(1, 18)]


@pytest.mark.parametrize("name", CLAIMS)
def test_every_entry_names_a_claim(name):
    entry = CLAIMS[name]
    claim = entry.resolve()
    assert isinstance(claim, Claim)
    assert entry.label
    assert entry.help.endswith(".")
    assert entry.source
    assert 0 < entry.cost < 30
    assert f".e{int(name[1:]):02}_" in entry.where


@pytest.mark.parametrize("name", CLAIMS)
def test_statements_can_be_told_apart_and_say_all_they_must(name):
    statements = CLAIMS[name].resolve().statements
    assert len({statement.key for statement in statements}) == len(statements)
    for statement in statements:
        assert statement.expected.low < statement.expected.high
        texts = (statement.text, statement.setting, statement.quantity, statement.source)
        for text in texts:
            assert text.strip() == text != ""
            assert "\n" not in text
            assert "!" not in text


@pytest.mark.parametrize("name", CLAIMS)
def test_a_statement_that_stands_for_another_one_was_found_here(name):
    statements = {each.key: each for each in CLAIMS[name].resolve().statements}
    for statement in statements.values():
        if statement.instead_of is not None:
            assert not statements[statement.instead_of].found
            assert statement.kind in (Kind.FOUND, Kind.CALCULATION)


@pytest.mark.parametrize("name", CLAIMS)
def test_parts_are_those_that_statements_name(name):
    claim = CLAIMS[name].resolve()
    assert {each.part for each in claim.statements} - {""} == set(claim.parts)


@pytest.mark.parametrize("name", CLAIMS)
def test_what_stands_first_can_be_read_alone(name):
    for statement in CLAIMS[name].resolve().statements:
        if statement.lead or statement.found:
            first = (statement.lead or statement.text).split()[0]
            assert first not in ("…", "And", "So", "There", "Then", "Meanwhile", "That")


@pytest.mark.parametrize("error", ERRORS)
def test_no_text_commits_an_error_common_in_teaching(error):
    for name, entry in CLAIMS.items():
        claim = entry.resolve()
        texts = [entry.label, entry.help, claim.note]
        # "BN lowers the shift" is stated to be tested, with the definition it is tested by.
        texts += [each for one in claim.statements for each in (one.text, one.lead)]
        for text in texts:
            assert not re.search(ERRORS[error], text), f"{name}: {text}"


def test_listing_claims_leaves_torch_out():
    code = "import sys, bnviz.claims, bnviz.claims.statement\nsys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=100).returncode == 0
