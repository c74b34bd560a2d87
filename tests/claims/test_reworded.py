"""The hash of a statement is renewed for new wording only if nothing else has changed and a person
has signed it.
"""

import pytest

from bnviz.claims.execution import judgements
from bnviz.claims.results import gather
from tests import reworded
from tests.claims import made_up


@pytest.fixture
def measured(made_up_claim):
    """Results of the made-up claim E0, measured before its text was reworded."""
    (judged,) = judgements(["E0"], range(3))
    return gather({"E0": judged}, "", range(3))


@pytest.fixture
def new_words(measured, tmp_path, monkeypatch):
    """Change the wording of one statement; the previous commit has the old wording."""
    file = tmp_path / "texts" / "en" / "claims" / "E0.toml"
    old = file.read_text("utf-8")
    monkeypatch.setattr(reworded, "_git", lambda *asked: old if asked[0] == "show" else "aaaa\n")
    words = {**made_up.WORDS, "third": {**made_up.WORDS["third"], "text": "The third."}}
    with made_up.words_of("E0", words, tmp_path / "new"):
        yield


def test_a_pair_of_old_and_new_words_is_shown(measured, new_words):
    (found,) = reworded.reworded(measured)
    assert found.row.name == "E0.third"
    assert (found.old["text"], found.new["text"]) == ("Three.", "The third.")


def test_a_signed_pair_changes_the_hash_and_no_value(measured, new_words):
    (found,) = reworded.reworded(measured)
    renewed = reworded.renewed(measured, {"E0.third": found.signature})
    assert list(reworded.reworded(renewed)) == []
    for before, after in zip(measured.rows, renewed.rows, strict=True):
        assert after == before.model_copy(update={"declared": after.declared})


def test_a_signature_of_other_words_is_refused(measured, new_words):
    with pytest.raises(SystemExit, match=r"E0\.third"):
        reworded.renewed(measured, {"E0.third": "0" * 16})


def test_other_bounds_cannot_be_signed(measured, new_words):
    bounds = made_up.FAILING.expected
    rows = [
        row.model_copy(update={"declared": "0" * 16, "expected": bounds}) for row in measured.rows
    ]
    (claim,) = measured.claims
    other = measured.model_copy(
        update={"claims": (claim.model_copy(update={"rows": tuple(rows)}),)}
    )
    signatures = {each.row.name: each.signature for each in reworded.reworded(other)}
    with pytest.raises(SystemExit, match="measure it again"):
        reworded.renewed(other, signatures)
