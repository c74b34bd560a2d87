"""`python -m bnviz claim`: its output, the files it writes, and the arguments it refuses."""

import json
import re

from bnviz import __main__ as command_line
from bnviz.claims import CLAIMS
from bnviz.claims.results import read
from bnviz.claims.table import declared, to_markdown
from bnviz.words.texts import texts
from tests.claims.measured import measured
from tests.every_case import every_case


def claim(capsys, *arguments):
    """Run `claim`, and return its exit status, stdout and stderr."""
    status = command_line.main(["claim", *arguments])
    return status, *capsys.readouterr()


def test_a_claim_is_printed_with_setting_value_expectation_and_seeds(capsys):
    status, out, errors = claim(capsys, "E2", "--seeds", "2")
    assert (status, errors) == (0, "")
    claimed = CLAIMS["E2"].resolve()
    for statement in claimed.statements:
        words = texts("claims/E2")[statement.key]
        assert f"holds: {words['text'].format(**claimed.numbers)}" in out
        assert words["setting"].format(**claimed.numbers) in out
        assert re.search(f"expected  {re.escape(statement.expected.words.split()[0])}", out)
    assert "seeds     0, 1; as expected in 2 of 2" in out


def test_a_claim_that_does_not_hold_is_a_result(capsys):
    status, out, _ = claim(capsys, "e5", "--quick")
    assert status == 0
    assert (
        "does not hold: The singular values of a normalized layer’s Jacobian are close to 1." in out
    )


def test_one_json_object_a_statement(capsys):
    _, out, _ = claim(capsys, "E7", "--quick", "--json")
    parts = {each.key: each.part for each in CLAIMS["E7"].resolve().statements}
    lines = [json.loads(line) for line in out.splitlines()]
    assert [found["key"] for found in lines] == [*parts]
    assert {found["found"] for found in lines} == {True, False}
    for found in lines:
        assert found["claim"] == "E7"
        assert found["seeds"] == [5 if found["found"] else 0]
        assert found["values"] == [
            measured("E7", found["seeds"][0], parts[found["key"]])[found["key"]]
        ]
        assert found["outcome"] in ("holds", "does not hold", "not decided")


def test_results_and_their_table_are_written_and_repeated_on_other_seeds(capsys, tmp_path):
    saved, table = tmp_path / "measured.json", tmp_path / "table.md"
    status, _, _ = claim(
        capsys, "E2", "--quick", "--save", str(saved), "--markdown", str(table)
    )  # fmt: skip
    assert status == 0
    assert table.read_text(encoding="utf-8") == to_markdown(read(saved))
    assert "## E2 The exact backward pass" in table.read_text(encoding="utf-8")
    _, out, _ = claim(
        capsys, "E2", "--quick", "--first-seed", "20", "--again", str(saved), "--markdown",
        str(table),
    )  # fmt: skip
    assert "On fresh seeds (20), which nobody had looked at, 0 of" in out
    assert read(saved).again_seeds == (20,)
    assert all(row.seeds == (0,) and row.again.seeds == (20,) for row in declared(read(saved)))
    assert table.read_text(encoding="utf-8") == to_markdown(read(saved))


def test_one_claim_joins_those_in_the_file_and_replaces_its_own(capsys, tmp_path):
    saved = tmp_path / "measured.json"
    claim(capsys, "E3", "--quick", "--save", str(saved))
    claim(capsys, "E2", "--quick", "--save", str(saved))
    claim(capsys, "E2", "--quick", "--first-seed", "1", "--save", str(saved))
    assert [each.name for each in read(saved).claims] == ["E2", "E3"]
    assert {each.name: each.rows[0].seeds for each in read(saved).claims} == {
        "E2": (1,),
        "E3": (0,),
    }
    assert read(saved).seeds == (0, 1)


def test_a_claim_that_is_measured_again_keeps_what_fresh_seeds_gave(capsys, tmp_path):
    saved = tmp_path / "measured.json"
    claim(capsys, "E2", "--quick", "--save", str(saved))
    claim(capsys, "E2", "--quick", "--first-seed", "20", "--again", str(saved))
    before = read(saved)
    claim(capsys, "E2", "--quick", "--save", str(saved))
    assert read(saved) == before


@every_case(
    ("arguments", "message"),
    [
        (["E99"], "`claim` must be all or one of E1, E2, E3"),
        (["everything"], "got 'everything'."),
        (["E2", "--seeds", "0"], "`--seeds` must be a whole number between 1 and 1000, got '0'."),
        (["E2", "--seeds", "five"], "`--seeds` must be a whole number"),
        (["E2", "--workers", "0"], "`--workers` must be a whole number between 1 and 64"),
        (["E2", "--first-seed", "-1"], "`--first-seed` must be a whole number between 0 and"),
        (["E2", "--markdown", "no/such/folder/x.md"], "must be a file in a folder that exists"),
        (["E2", "--save", "no/such/folder/x"], "`--save` must be a file in a folder that exists"),
        (["E2", "--save", "pyproject.toml"], "must be a new file, or one that --save wrote"),
        (["E2", "--again", "pyproject.toml"], "`--again` must be a file that --save wrote"),
    ],
)
def test_errors_are_one_sentence_and_status_2(capsys, arguments, message):
    status, out, errors = claim(capsys, *arguments)
    assert (status, out) == (2, "")
    assert errors.count("\n") == 1
    assert message in errors
