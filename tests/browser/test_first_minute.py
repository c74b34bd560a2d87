"""The opening story, as a visitor sees it, and what the knobs do while it runs."""

import re

from playwright.sync_api import expect


def test_training_starts_unasked_pauses_plays_and_both_networks_learn(visit):
    lab = visit("/lab").drawn().until_step(15)
    assert lab.status == "running"
    lab.pause().one_step(lab.button("One step").click)
    lab.button("Play").click()
    lab.until_status("running").hurry_to(60)
    for norm in ("none", "batch"):
        expect(lab.card(norm)).to_contain_text("learning")
        expect(lab.card(norm).locator(".bnviz-accuracy")).to_have_text(
            re.compile(r"^[89]\d\.\d\s%$")
        )


def test_raising_the_rate_breaks_the_plain_network_and_bn_comes_back(visit):
    lab = visit("/lab").until_step(5).hurry_to(150)
    lab.pace("watch")
    run = lab.run
    lab.button("try 1").click()
    plain, batch = lab.card("none"), lab.card("batch")
    expect(plain).to_contain_text(re.compile(r"broke at step \d+"), timeout=20_000)
    expect(plain).to_contain_text(re.compile(r"\d+ steps? after the rate went from 0.1 to 1"))
    expect(plain).to_contain_text("First to go: layer")
    broke = int(re.search(r"broke at step (\d+)", plain.inner_text())[1])
    after = int(re.search(r"(\d+) steps? after the rate", plain.inner_text())[1])
    assert 1 <= after <= 12
    assert broke >= 150 + after
    lab.hurry_to(broke + 150)
    expect(plain).to_contain_text(re.compile("stuck|far above"))
    expect(batch.locator(".bnviz-accuracy")).to_have_text(
        re.compile(r"^9\d\.\d\s%$"), timeout=20_000
    )
    assert lab.run == run


def test_a_live_knob_acts_on_the_run_and_a_structural_one_starts_over_with_its_seed(visit):
    lab = visit("/lab?seed=7").until_step(5)
    run, step = lab.run, lab.step
    lab.nudge("Learning rate", -1)
    lab.wait("Number(view.changes) === 1")
    assert lab.run == run
    assert lab.step >= step
    lab.page.wait_for_url(re.compile(r"learning_rate=0\.03"))
    lab.nudge("Batch size", 1)
    lab.wait("Number(view.changes) === 2")
    assert lab.run == run
    lab.nudge("Hidden layers", -1)
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 0", run)
    lab.page.wait_for_url(re.compile("depth=5"))
    assert lab.query()["seed"] == "7"


def test_new_seed_is_another_button_than_reset(visit):
    lab = visit("/lab?paused=1").drawn()
    accuracy = lab.card("none").locator(".bnviz-accuracy")
    expect(accuracy).to_have_text(re.compile("%"))
    first = accuracy.text_content()
    lab.button("One step").click()
    lab.wait("Number(view.step) === 1")
    lab.button("Reset").click()
    lab.wait("Number(view.step) === 0")
    expect(accuracy).to_have_text(first)
    lab.button("New seed").click()
    lab.page.wait_for_url(re.compile("seed=1"))


def test_full_pace_is_faster_than_the_pace_to_watch(visit):
    lab = visit("/lab?depth=2&width=16&paused=1").drawn()
    # At once: of two commands within one of its scripts, Streamlit tells it of the newest.
    lab.pace("full")
    lab.button("Play").click()
    # The pace to watch pauses at 1,000.
    lab.until_step(1_500)


def test_a_batch_of_one_pauses_bn_and_says_why(visit):
    lab = visit("/lab?batch_size=1").until_step(3)
    expect(lab.card("batch")).to_contain_text("waiting")
    expect(lab.card("none")).to_contain_text("learning")


def test_each_network_can_run_at_its_own_rate(visit):
    lab = visit("/lab").until_step(3)
    lab.page.get_by_text("A rate for each network").click()
    lab.page.wait_for_url(re.compile("learning_rates="))
    expect(lab.slider("Rate without BN")).to_be_visible()
    lab.nudge("Rate with BN", 1)
    lab.page.wait_for_url(re.compile(r"learning_rates=0\.1%2C0\.3"))
