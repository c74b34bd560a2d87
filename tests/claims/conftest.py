"""The made-up experiment in its registry, with its words."""

import pytest

from bnviz.claims import CLAIMS
from tests.claims import made_up


@pytest.fixture
def made_up_claim(monkeypatch, tmp_path):
    """E0, among the claims and the texts."""
    monkeypatch.setitem(CLAIMS, "E0", made_up.ENTRY)
    with made_up.words_of("E0", made_up.WORDS, tmp_path / "texts"):
        yield made_up.ENTRY
