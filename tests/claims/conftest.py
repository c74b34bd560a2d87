"""Fixture that registers the made-up claim E0 with its texts."""

import pytest

from bnviz.claims import CLAIMS
from tests.claims import made_up


@pytest.fixture
def made_up_claim(monkeypatch, tmp_path):
    """Add the claim E0 to the registry and the texts."""
    monkeypatch.setitem(CLAIMS, "E0", made_up.ENTRY)
    with made_up.words_of("E0", made_up.WORDS, tmp_path / "texts"):
        yield made_up.ENTRY
