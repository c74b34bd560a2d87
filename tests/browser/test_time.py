"""Playing on from an earlier step of a run."""

import re


def test_play_from_here_starts_a_run_at_that_step(visit):
    paused = visit("/lab?depth=2&width=16").until_step(8).pause()
    run = paused.run
    line = paused.view.get_by_role("slider", name=re.compile("Timeline"))
    line.focus()
    line.press("Home")
    for _ in range(3):
        line.press("ArrowRight")
    # A key goes to the next kept step; on a busy machine not every step was shown and kept.
    paused.wait("view.time === 'pinned' && Number(view.step) > 0")
    step = int(paused.view.get_attribute("data-step"))
    paused.button("Play from here").click()
    paused.wait(f"view.run && view.run !== argument && Number(view.step) >= {step}", run)
    paused.pause()
