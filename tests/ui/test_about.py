"""The page About: its beginning, its figure, and the table of states."""

import re

import numpy as np
import pytest

from benchmarks.drifting_hills import STEPS, record
from bnviz.ui.about import FIGURE_PLACEHOLDER, PRESET, figure, in_words, recorded_hills
from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import prose, texts
from tests.made_up_language import accented
from tests.ui.handed_over import healthy
from tests.ui.reading_html import Page


@pytest.fixture(scope="module")
def drawn():
    return Page(figure(recorded_hills(), texts("about"), "/lab?preset=x"))


def test_it_says_first_what_internal_covariate_shift_is_then_shows_it(open_page):
    page = healthy(open_page(PAGES["about"].script))
    first, *others = [part.value for part in page.markdown if "Internal covariate" in part.value
                      or "How this is measured" in part.value]  # fmt: skip
    assert first.split("\n\n")[1].startswith("*Internal covariate shift* means")
    assert len(others) == 1
    (shown,) = [part.value for part in page.get("html") if "<figure" in part.value]
    assert f"/lab?preset={PRESET}" in shown
    assert FIGURE_PLACEHOLDER not in first + others[0]
    assert (
        prose("about").count(FIGURE_PLACEHOLDER)
        == accented(prose("about")).count(FIGURE_PLACEHOLDER)
        == 1
    )


def test_the_figure_has_a_hill_a_step_for_each_network_and_says_the_same(drawn):
    run = recorded_hills()
    assert run.steps == list(STEPS)
    panels = drawn.all("about-panel")
    assert len(panels) == len(run.networks) == 2
    for panel, (norm, hills) in zip(panels, run.networks.items(), strict=True):
        assert len(drawn.within(panel, "about-hill")) == len(STEPS)
        places = [float(re.search(r"[\d.]+", dot["style"])[0])
                  for dot in drawn.within(panel, "about-middle")]  # fmt: skip
        shares = [(median - run.low) / (run.high - run.low) for median in hills.medians]
        assert places == pytest.approx([100 * share for share in shares], abs=0.01)
        (plot,) = drawn.within(panel, "about-plot")
        name = texts("about")["network"][norm]
        assert plot["role"] == "img"
        assert plot["aria-label"] == in_words(hills, run, name, texts("about"))
        assert plot["aria-label"].count("%") == len(STEPS)


def test_the_hills_drift_without_batch_normalization_and_stay_with_it():
    run = recorded_hills()
    plain, batch = (run.networks[norm] for norm in ("none", "batch"))
    assert np.ptp(plain.medians) > 2
    assert np.ptp(batch.medians) < 0.5
    for hills in (plain, batch):
        assert all(0.98 < sum(shares) <= 1.0001 for shares in hills.shares)


def test_they_are_those_of_the_run_that_the_lab_opens():
    again, kept = record((0, 10)), recorded_hills()
    for norm, hills in again.networks.items():
        known = kept.networks[norm]
        assert hills.medians == pytest.approx(known.medians[:2], abs=0.02)
        for shares, recorded_shares in zip(hills.shares, known.shares[:2], strict=True):
            assert np.abs(np.subtract(shares, recorded_shares)).sum() < 0.05


def test_the_words_for_states_are_a_table():
    rows = re.findall(r"^\| \*([^*]+)\* \| (.+) \|$", prose("about"), re.MULTILINE)
    assert [word for word, _ in rows] == [
        "learning", "diverged", "blown up", "stuck", "recovered", "dipping", "dipped",
        "still at chance level", "rising above chance level", "falling",
    ]  # fmt: skip
