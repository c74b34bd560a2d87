"""Every number in a lesson's verdict equals the value in the chart beside it."""

import pytest

from tests.lessons.charted import REASON, contradictions, named, table
from tests.lessons.observing import CLAIMING


@pytest.mark.parametrize("name", CLAIMING)
def test_a_sentence_says_what_the_chart_beside_it_shows(name):
    assert not [*contradictions(name)]


@pytest.mark.parametrize("name", CLAIMING)
def test_a_table_has_no_line_for_what_no_sentence_says_and_a_reason_for_what_no_chart_shows(name):
    assert table(name).keys() == named(name).keys()
    reasons = [each for each in table(name).values() if isinstance(each, str)]
    assert all(REASON.match(each) for each in reasons), reasons


@pytest.mark.verify
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", CLAIMING)
def test_sentences_say_what_charts_show_over_twenty_seeds(name):
    found = {seed: [*contradictions(name, seed)] for seed in range(20)}
    assert not {seed: each for seed, each in found.items() if each}
