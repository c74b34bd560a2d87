"""Gaps in a run's frames: there is no gap during a page reload, and one gap before the first step
of a run that starts at a later step.
"""

from __future__ import annotations

from bnviz.records import Change
from tests.live.conftest import OWNER, LiveHub, until
from tests.live.conftest import SMALL as WATCHED


def test_a_page_that_is_loaded_again_misses_nothing(live: LiveHub):
    """Entering or leaving the presentation view reloads the page, so for a moment the run has no
    viewer.
    """
    with live.limited(grace_seconds=3_600.0, away_seconds=60.0):
        run = live.hub.start(OWNER, WATCHED, pace="full")
        first = live.watch(run)
        left_at = first.frame_at(1)["step"]
        first.leave()
        kept = live.hub.registry.runs[run].history
        until(lambda: kept.newest.step > left_at + 20)
        back = live.watch(run)
        back.frame_at(live.info(run).step + 1)
        (hello,) = back.said("hello")
        assert (
            hello["unseen"]["spans"] == live.hub.registry.runs[run].history.unseen.plain()["spans"]
        )
        assert hello["unseen"]["spans"] == []
        assert [step for _, step in hello["history"] if step > left_at]


def test_a_run_that_begins_at_a_later_step_has_a_gap_before_it(live: LiveHub):
    change = Change(20, {"learning_rate": 0.7})
    run = live.hub.start(OWNER, WATCHED, paused=True, changes=(change,), from_step=100)
    watcher = live.watch(run)
    watcher.frame_at(100)
    # Without the gap, a line would connect the first measured steps with step 100.
    assert watcher.said("hello")[0]["unseen"]["spans"][0][0] == 0
    (last,) = until(lambda: {span[1] for span in live.hub.registry.runs[run].history.unseen} & {99})
    assert last == 99
