"""A hidden page keeps its run but does not keep it running."""

from __future__ import annotations

from tests.live.conftest import OWNER, SMALL, LiveHub, until


def hide(live, watcher, hidden: bool) -> None:
    live.call(lambda: live.hub.viewers.hide(watcher.viewer, hidden))


def test_a_run_whose_pages_are_all_hidden_sleeps_and_is_kept(stubs):
    with stubs(grace_seconds=0.1) as hub:
        run, seen = (hub.hub.start(OWNER, SMALL) for _ in range(2))
        first, second = hub.watch(run), hub.watch(run)
        _visible, beside = hub.watch(seen), hub.watch(seen)
        for watcher in (first, second, beside):
            hide(hub, watcher, hidden=True)
        until(lambda: hub.info(run).reason == "unwatched")
        assert hub.info(run).status == "paused"
        # Wait longer than the hub keeps unwatched runs. In the meantime, a run without pages ends,
        # but the run of a hidden page does not.
        with hub.limited(lease_seconds=0.3):
            forgotten = hub.hub.start(OWNER, SMALL)
            until(lambda: hub.hub.info(forgotten) is None)
        assert hub.info(run).reason == "unwatched"
        assert hub.info(seen).status == "running", "one of its pages is in view"
        hide(hub, second, hidden=False)
        assert hub.info(run).status == "running", "at once, not when its turn comes"


def test_a_run_that_slept_while_it_was_hidden_goes_on_when_it_is_shown(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    watcher = live.watch(run)
    watcher.frame_at(1)
    hide(live, watcher, hidden=True)
    until(lambda: live.info(run).reason == "unwatched")
    step = live.info(run).step
    hide(live, watcher, hidden=False)
    watcher.frame_at(step + 3)
