"""The home page shows step 0 before its scripts have loaded."""

import numpy as np
import pytest

from bnviz.commands.rates import measure_first_frame
from bnviz.planned_runs.first_frame import first_frame
from bnviz.ui.first_paint import first_paint
from bnviz.words.texts import languages, texts

PAGE = b'<html><head></head><body><div id="root"></div></body></html>'


def painted(path="/", query=b"", base=""):
    scope = {"type": "http", "path": path, "query_string": query, "headers": []}
    change = first_paint(base)(scope)
    return None if change is None else change(None, PAGE).decode()


def test_the_shipped_step_0_is_that_of_the_default_run():
    # On other processors, rounding may change one image and move counts to a neighbouring bin.
    shipped, measured = first_frame(), measure_first_frame()
    assert list(shipped) == list(measured)
    for norm, network in measured.items():
        kept = shipped[norm]
        assert sum(a != b for a, b in zip(kept.predictions, network.predictions, strict=True)) <= 1
        assert kept.test_accuracy == pytest.approx(network.test_accuracy, abs=0.01)
        np.testing.assert_allclose(kept.saturated, network.saturated, atol=0.002)
        counts, now = np.array(kept.histogram), np.array(network.histogram)
        assert np.abs(counts - now).sum() <= 0.01 * now.sum()


def test_the_home_page_has_step_0_in_each_language():
    for code in languages():
        page = painted(query=f"lang={code}".encode())
        title = texts("home", code)["title"]
        assert page.index("bnviz-first") < page.index(title) < page.index('<div id="root">')
        for network in first_frame().values():
            assert all(f">{digit}</b>" in page for digit in network.predictions)
        assert page.count("<use ") == 3 * len(first_frame())


def test_other_pages_and_repeated_runs_have_no_step_0():
    assert painted("/lab") is None
    assert painted(query=b"replay=46:1") is None
    assert painted("/", base="/bn") is None
    assert painted("/bn/", base="/bn") is not None
