"""A live knob with a button per value, which changes the run at once."""

from playwright.sync_api import expect

from bnviz.config import KNOBS
from bnviz.ui.knobs import live_choices
from bnviz.words.texts import texts
from tests.browser.live_view.knob_hands import knob, sent
from tests.browser.live_view.page_data import knobs_of
from tests.browser.live_view.recorded import PAIR
from tests.browser.live_view.tab import call

NAME = "norm_statistics"
BY_BATCH, RUNNING = live_choices(NAME).items()
ALREADY = ("learning_rate", "batch_size", "momentum", "weight_decay")


def sidebar():
    """Return the data of a sidebar that has only the choice knob."""
    knobs = knobs_of(PAIR, NAME)
    knobs["specs"][NAME] = {
        "label": KNOBS[NAME].label, "help": KNOBS[NAME].help, "home": "batch",
        "allowed": KNOBS[NAME].allowed, "choices": [BY_BATCH, RUNNING], "note": "acts at once",
    }  # fmt: skip
    return {"knobs": knobs, "heading": ["Normalization", "starts over"]}


def buttons(tab):
    row = knob(tab, NAME)
    return [row.get_by_role("radio", name=words, exact=True) for _, words in (BY_BATCH, RUNNING)]


def test_a_choice_acts_at_once_and_both_ways_and_its_mark_is_in_words(lab, harness):
    tab = lab(sidebar=sidebar())
    by_batch, running = buttons(tab)
    expect(by_batch).to_be_checked()
    running.check(force=True)
    harness.wait(lambda: sent(harness) == [(NAME, "running")])
    expect(running).to_be_checked()
    running.press("ArrowLeft")
    harness.wait(lambda: sent(harness)[1:] == [(NAME, "batch")])
    expect(by_batch).to_be_checked()
    words = texts("knobs")[NAME]
    given = {
        "values": {NAME: "running"}, "choices": live_choices(), "names": {NAME: "Statistics"},
        "labels": {f"{NAME}_{value}": words[f"mark_{value}"] for value in live_choices()},
    }  # fmt: skip
    mark = "m.changeMarks([{step: 3, values: a.values}], {labels: a.labels})[0].label"
    assert call(tab.page, "charts/marks", mark, given) == words["mark_running"]
    said = "m.changeWords(a.values, a.names, (key) => a.choices[key.replace('choice.', '')])"
    assert call(tab.page, "lib/live_actions", said, given) == f"statistics {RUNNING[1]}"


def test_who_only_watches_cannot_choose(lab):
    tab = lab(sidebar=sidebar(), begin={"can_control": False}, can_control=False)
    for each in buttons(tab):
        expect(each).to_be_disabled()
