"""Tests of the search for each network's best learning rate, from its button to its result card."""

from playwright.sync_api import expect

from bnviz.config import LIVE_KNOBS
from bnviz.words.texts import texts
from tests.browser.live_view.recorded import PAIR

WORDS = texts("live")
FOUND = {
    "steps": 200,
    "rates": {"none": {"rate": 0.03, "accuracy": 0.93}, "batch": {"rate": 0.1, "accuracy": 0.855}},
}  # fmt: skip


def test_the_best_rates_are_looked_for_at_any_time_with_progress_and_hold_for_their_knobs(
    tab, harness, frames
):
    card = tab.view.locator("[data-card=batch]")
    find = tab.view.locator("[data-control=find_best]")
    run = card.get_by_role("button", name=WORDS["cards"]["run_best"])
    # A search that the visitor did not request, such as the search after a break, does not change
    # the card.
    kept = {
        name: getattr(PAIR, name) for name in LIVE_KNOBS if not name.startswith("learning_rate")
    }
    harness.hear("best", **FOUND, knobs={**kept, "batch_size": 8})
    tab.drawn(harness.push(31, frames[30][1]))
    expect(card).not_to_contain_text("rates tried")
    # No network is in trouble yet, so the button is in the menu.
    find.evaluate("button => button.click()")
    assert [one["name"] for one in tab.commands()] == ["find_best"]
    harness.hear("searching", share=0.35)
    expect(find).to_have_text("Best rates 35\u00a0%")
    expect(find).to_be_disabled()
    harness.hear("best", **FOUND, knobs=kept)
    expect(find).to_have_text("Best rates")
    expect(card).to_contain_text(
        "Test accuracy of each network at the best of the learning rates tried (batch size 60, 200"
        " steps): without BN 93.0\u00a0% (at 0.03), with BN 85.5\u00a0% (at 0.1)."
        " With each network at its best learning rate, the network without BN has the highest test"
        " accuracy: 7.5 percentage points above the second-highest."
    )
    expect(run).to_be_visible()
    # The whole text is readable, even in a narrow window.
    for width in (1024, 390):
        tab.page.set_viewport_size({"width": width, "height": 800})
        expect(card.locator("p")).to_be_visible()
        assert card.locator("p").evaluate("part => part.scrollHeight <= part.clientHeight"), width
    # The result does not apply to another batch size.
    harness.script("set_knobs", batch_size=4)
    harness.push(32, frames[30][1])
    expect(card).not_to_contain_text("rates tried")
    find.evaluate("button => button.click()")
    harness.hear("searching", share=None)
    expect(find).to_be_enabled()
    harness.hear("best", **FOUND, knobs={**kept, "batch_size": 4})
    expect(card).to_contain_text("batch size 4, 200 steps")
    run.click()
    assert [one["name"] for one in tab.commands()] == ["find_best", "find_best", "best"]
