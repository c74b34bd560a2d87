"""The opening story in a browser: it runs, pauses, continues, breaks and restarts."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import CALM


@pytest.mark.verify
def test_training_starts_unasked_pauses_plays_breaks_at_a_high_rate_and_starts_over(visit):
    lab = visit("/lab", **CALM).drawn().until_step(15)
    assert lab.status == "running"
    lab.pause().one_step(lab.button("One step").click)
    lab.button("Play").click()
    lab.until_status("running").until_step(40)
    plain, batch = lab.card("none"), lab.card("batch")
    for card in (plain, batch):
        expect(card).to_contain_text("learning")
        expect(card.locator(".bnviz-accuracy")).to_have_text(re.compile(r"^\d+\.\d\s%$"))
    run, step = lab.run, lab.step
    lab.button("try 1").click()
    expect(plain).to_contain_text(re.compile(r"broke at step \d+"))
    expect(plain).to_contain_text(re.compile(r"\d+ steps? after the rate went from 0.1 to 1"))
    expect(plain).to_contain_text("First to break: layer")
    said = plain.text_content()  # includes the hidden text behind "more"
    broke = int(re.search(r"broke at step (\d+)", said)[1])
    after = int(re.search(r"(\d+) steps? after the rate", said)[1])
    assert after >= 1
    assert broke >= step + after
    expect(batch).not_to_contain_text("broke")
    assert lab.run == run
    lab.button("Reset").click()
    lab.wait("view.changes === '0'")
    kept = lab.view.locator(
        ".bnviz-notice", has_text="These knobs differ from the preset: Learning rate"
    )
    kept.get_by_role("button").click()  # it covers the buttons
    lab.view.locator("[data-control=new_seed]").evaluate("button => button.click()")
    lab.page.wait_for_url(re.compile("seed=1"))
