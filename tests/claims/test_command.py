"""`python -m bnviz claim`: what it prints, and what it refuses."""

import json

import pytest

from bnviz import __main__ as command_line
from bnviz.claims import CLAIMS, execution
from bnviz.claims.execution import choose_claims
from tests.claims.measured import measured


def claim(capsys, *arguments):
    """Exit status, stdout and stderr."""
    status = command_line.main(["claim", *arguments])
    return status, *capsys.readouterr()


def test_a_claim_is_printed_with_setting_value_expectation_and_seeds(capsys):
    status, out, errors = claim(capsys, "E2", "--seeds", "2")
    assert (status, errors) == (0, "")
    for statement in CLAIMS["E2"].resolve().statements:
        assert f"holds: {statement.text}" in out
        assert statement.setting in out
        assert f"expected  {statement.expected.words}" in out
    assert "seeds 0, 1" in out


def test_a_claim_that_does_not_hold_is_a_result(capsys):
    status, out, _ = claim(capsys, "e5", "--seeds", "1")
    assert status == 0
    assert (
        "does not hold: The singular values of a normalized layer's Jacobian are close to 1." in out
    )


def test_one_json_object_a_statement(capsys):
    _, out, _ = claim(capsys, "E16", "--seeds", "2", "--json")
    objects = [json.loads(line) for line in out.splitlines()]
    expected = [measured("E16", seed) for seed in (0, 1)]
    assert [found["statement"] for found in objects] == list(expected[0])
    for found in objects:
        assert found["claim"] == "E16"
        assert found["seeds"] == [0, 1]
        assert found["values"] == [values[found["statement"]] for values in expected]
        assert found["holds"] in (True, False)


def test_a_table_is_written(capsys, tmp_path):
    path = tmp_path / "table.md"
    status, _, _ = claim(capsys, "E2", "--seeds", "1", "--markdown", str(path))
    assert status == 0
    assert "## E2 The exact backward pass" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["E99"], "`claim` must be all or one of E1, E2, E3"),
        (["everything"], "got 'everything'."),
        (["E2", "--seeds", "0"], "`--seeds` must be a whole number between 1 and 1000, got '0'."),
        (["E2", "--seeds", "five"], "`--seeds` must be a whole number"),
        (["E2", "--workers", "0"], "`--workers` must be a whole number between 1 and 64"),
        (["E2", "--markdown", "no/such/folder/x.md"], "must be a file in a folder that exists"),
    ],
)
def test_errors_are_one_sentence_and_status_2(capsys, arguments, message):
    status, out, errors = claim(capsys, *arguments)
    assert (status, out) == (2, "")
    assert errors.count("\n") == 1
    assert message in errors


def test_all_means_every_claim():
    assert choose_claims("all") == tuple(CLAIMS)


def test_other_processes_measure_the_same(monkeypatch):
    monkeypatch.setattr(execution, "WORTH_A_PROCESS", 0.0)
    (found,) = execution.judgements(["E16"], [0, 1], workers=2)
    expected = [measured("E16", seed) for seed in (0, 1)]
    assert {each.statement.key: each.values for each in found} == {
        key: tuple(values[key] for values in expected) for key in expected[0]
    }
