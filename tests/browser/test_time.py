"""Playing on from an earlier step of a run."""

import re

import pytest


@pytest.mark.verify
def test_play_from_here_starts_a_run_at_that_step(visit):
    # Paused, so that the steps that are kept are those that were asked for.
    lab = visit("/lab?depth=2&width=16&paused=1").drawn()
    for _ in range(3):
        lab.one_step(lab.button("One step").click)
    run = lab.run
    line = lab.view.get_by_role("slider", name=re.compile("Timeline"))
    line.focus()
    line.press("Home")
    line.press("ArrowRight")
    lab.wait("view.time === 'pinned' && Number(view.step) === 1")
    lab.button("Play from here").click()
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 2", run)
    lab.pause()
