"""The hub with real workers: its methods, messages to viewers, and errors."""

from __future__ import annotations

import itertools
from itertools import groupby
from typing import Any

import pytest

from bnviz.config import ConfigError
from bnviz.live import HubNotRunning, NoSuchRun, NotYours, current_hub, install_hub
from bnviz.live.hub import Hub
from bnviz.live.settings import Settings
from bnviz.presets import PRESETS
from bnviz.records import Change
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, STRANGER, LiveHub, Watcher, arrays_of, until


def rest(live: LiveHub, run: str, step: int) -> None:
    """Pause a run once it has reached a step, so that its worker has time for the remaining
    work.
    """
    live.reach(run, step)
    live.hub.pause(OWNER, run)


def both_got(
    early: Watcher, late: Watcher, count: int
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the frames that both viewers received, as pairs, or an empty list if there are fewer
    than `count`.
    """
    known = {frame["seq"]: frame for frame in early.frames()}
    met = [(known[f["seq"]], f) for f in late.frames()[1:] if f["seq"] in known]
    return met if len(met) >= count else []


def test_a_run_begins_by_itself_and_moves(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    assert len(run) == 32
    watcher = live.watch(run)
    assert watcher.frame_at(0)["step"] == 0
    watcher.frame_at(15)
    assert watcher.messages[0]["type"] == "hello"
    assert live.info(run).status == "running"


def test_a_late_viewer_sees_what_an_early_one_saw(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    early = live.watch(run)
    early.frame_at(10)
    seen = early.frames()
    late = live.watch(run)
    hello = until(lambda: late.said("hello"))[0]
    assert {frame["step"] for frame in seen} <= {step for _, step in hello["history"]}
    for frame in seen:
        past = live.frame(run, frame["seq"])
        # A later frame of the same step may have replaced this frame, and may contain more arrays.
        assert arrays_of(past).items() >= arrays_of(frame).items()
    # Each viewer may miss a frame while it is busy with the previous one.
    for twin, meeting in until(lambda: both_got(early, late, 3)):
        assert twin == meeting


def test_opening_a_run_paused_shows_step_0_and_waits_for_play(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    watcher = live.watch(run)
    assert watcher.frame_at(0)["status"] == "paused"
    assert live.info(run).status == "paused"
    live.hub.play(OWNER, run)
    watcher.frame_at(3)


def test_pause_step_and_play(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    watcher = live.watch(run)
    for at in (1, 2):
        live.hub.step(OWNER, run)
        assert watcher.frame_at(at)["step"] == at
    live.hub.play(OWNER, run)
    watcher.frame_at(5)
    live.hub.pause(OWNER, run)
    until(lambda: watcher.said("status") and watcher.said("status")[-1]["status"] == "paused")
    until(lambda: watcher.frames()[-1]["status"] == "paused")
    # Each status has its own number, and the newest status has the highest number.
    told = [(m["status_number"], m["status"]) for m in watcher.messages if "status" in m]
    assert len({number for number, _ in told}) == len(set(told))
    assert max(told)[1] == "paused"
    live.hub.play(OWNER, run)
    watcher.frame_at(live.info(run).step + 3)


def test_a_run_that_is_advanced_is_at_that_step_at_once_and_what_is_set_then_acts_there(
    live: LiveHub,
):
    run = live.hub.start(OWNER, SMALL, paused=True)
    watcher = live.watch(run)
    watcher.frame_at(0)
    live.hub.advance(OWNER, run, 40)
    # Steps that are not measured yet are reported as unseen, so that no line of a chart crosses
    # them.
    assert until(lambda: watcher.said("unseen"))[0]["spans"] == [[1, 39]]
    assert watcher.frame_at(40)["status"] == "paused"
    live.hub.advance(OWNER, run, 9)
    live.hub.set_knobs(OWNER, run, learning_rate=0.7)
    change = until(lambda: live.info(run).changes)[0]
    assert (change.step, change.values) == (40, {"learning_rate": 0.7})
    same_as_undisturbed(watcher.frame_at(45), SMALL, {40: change.values})
    # The skipped steps are filled in later.
    until(lambda: {*live.history_steps(run)} >= set(range(46)))
    assert not [*live.hub.registry.runs[run].history.unseen]


def longest_row(numbers: set[int]) -> int:
    """Return the length of the longest sequence of consecutive numbers."""
    rows = groupby(enumerate(sorted(numbers)), lambda placed: placed[1] - placed[0])
    return max((len(list(row)) for _, row in rows), default=0)


def test_a_live_change_reaches_the_run_and_slows_it_down(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, pace="fast")
    watcher = live.watch(run)
    live.reach(run, 60)
    live.hub.set_pace(OWNER, run, "watch")
    live.hub.set_knobs(OWNER, run, learning_rate=0.7, batch_size=8)
    assert live.info(run).config.learning_rate == 0.7
    assert live.info(run).initial_config == SMALL
    change = until(lambda: live.info(run).changes)[0]
    assert change.values == {"learning_rate": 0.7, "batch_size": 8}
    frame = watcher.frame_at(change.step + 10)
    assert frame["networks"]["none"]["learning_rate"] == 0.7
    same_as_undisturbed(frame, SMALL, {change.step: change.values})
    # On a busy machine, some steps have no frame. At a fast pace, most steps have none.
    shown = lambda: {f["step"] for f in watcher.frames() if f["step"] >= change.step}  # noqa: E731
    until(lambda: longest_row(shown()) >= 5)


def test_a_live_change_wakes_a_paused_run(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    watcher = live.watch(run)
    live.hub.set_knobs(OWNER, run, learning_rate=0.2)
    watcher.frame_at(4)


def test_changes_of_each_networks_rate_reach_the_worker(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    watcher = live.watch(run)
    live.hub.set_knobs(OWNER, run, learning_rates=(0.5, 0.25))
    until(lambda: live.info(run).changes)
    networks = watcher.frame_at(live.info(run).step + 1)["networks"]
    assert [network["learning_rate"] for network in networks.values()] == [0.5, 0.25]


def test_steps_around_a_change_passed_at_speed_are_replayed(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, pace="full")
    live.watch(run)
    live.reach(run, 100)
    live.hub.set_knobs(OWNER, run, learning_rate=0.05)
    at = until(lambda: live.info(run).changes)[0].step
    wanted = set(range(at - 50, at + 51))
    rest(live, run, at + 60)
    until(lambda: wanted <= set(live.history_steps(run)))
    for step in (at - 50, at - 7, at + 1, at + 50):
        frame = live.history_frame(run, step)
        same_as_undisturbed(frame, SMALL, {at: {"learning_rate": 0.05}} if step >= at else None)


def test_a_break_at_the_start_is_known_replayed_and_answered_with_the_best_rates(live: LiveHub):
    config = SMALL.replace(learning_rate=3.0, depth=6, width=32)
    run = live.hub.start(OWNER, config, pace="full")
    watcher = live.watch(run)
    at = until(lambda: live.info(run).breaks)["none"].step
    assert at < 20
    around = set(range(at + 51))
    rest(live, run, at + 60)
    # Every step around the break is kept, with its test loss.
    until(lambda: around <= set(live.history_steps(run)))
    for step in around:
        losses = [each["test_loss"] for each in live.history_frame(run, step)["networks"].values()]
        assert all(isinstance(loss, float) for loss in losses)
    # Viewers receive each step as a frame or as an entry in the index of kept frames.
    known = lambda: {step for m in watcher.said("history") for _, step in m["kept"]}  # noqa: E731
    until(lambda: around <= known() | {frame["step"] for frame in watcher.frames()})
    assert watcher.frame_at(at + 60)["networks"]["none"]["broke"]
    best = until(lambda: live.info(run).best)
    assert set(best) == {"none", "batch"}
    assert all(0 <= found["accuracy"] <= 1 and found["rate"] > 0 for found in best.values())
    assert until(lambda: watcher.said("best"))[0]["rates"] == best
    live.hub.reset(OWNER, run)
    assert live.info(run).breaks == {}
    assert until(lambda: watcher.said("hello")[1:])[0]["breaks"] == {}


def test_the_best_rates_are_looked_for_at_any_time_and_anew_with_other_knobs(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    watcher = live.watch(run)
    live.hub.find_best(OWNER, run)
    found = until(lambda: watcher.said("best"))[0]
    # Viewers may receive only the newer of two progress messages that are sent at the same time.
    shares = [message["share"] for message in watcher.said("searching")]
    assert shares == sorted(shares)
    assert (shares[0] < 1, shares[-1]) == (True, 1)
    kept = {
        "rate_factors": [1.0, 1.0, 1.0], "momentum": 0.0, "weight_decay": 0.0,
        "norm_statistics": "batch",
    }  # fmt: skip
    assert found["knobs"] == {"batch_size": SMALL.batch_size, **kept}
    live.hub.set_knobs(OWNER, run, batch_size=4)
    live.hub.pause(OWNER, run)
    until(lambda: live.info(run).changes)
    live.hub.find_best(OWNER, run)
    live.hub.find_best(OWNER, run)
    assert live.info(run).best is None, "the earlier result belongs to other knobs"
    second = until(lambda: watcher.said("best")[1:])[0]
    assert second["knobs"] == {"batch_size": 4, **kept}
    again = [message["share"] for message in watcher.said("searching")][len(shares) :]
    assert again == sorted(again)
    late = live.watch(run)
    hello = until(lambda: late.said("hello"))[0]
    assert (hello["best"]["rates"], hello["searching"]) == (second["rates"], None)


def test_a_slow_starter_is_stuck_for_a_while_and_nothing_of_it_breaks(live: LiveHub):
    config = PRESETS["figure-1"].config(dataset="digits")
    run = live.hub.start(OWNER, config, pace="full")
    watcher = live.watch(run)
    assert live.reach(run, 100).breaks == {}
    assert live.reach(run, 200).breaks == {}
    assert not any(f["networks"]["none"]["broke"] for f in watcher.frames())
    rest(live, run, 200)
    newcomer = live.watch(run)
    assert until(lambda: newcomer.said("hello"))[0]["breaks"] == {}
    assert until(lambda: live.info(run).best), "the best rate is searched for this run, too"


def test_reset_starts_over_with_the_present_knobs_and_the_same_weights(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, pace="fast")
    watcher = live.watch(run)
    live.reach(run, 40)
    live.hub.set_knobs(OWNER, run, learning_rate=0.3)
    until(lambda: live.info(run).changes)
    last = watcher.frames()[-1]["seq"]
    live.hub.reset(OWNER, run)
    info = live.info(run)
    assert (info.step, info.changes, info.initial_config.learning_rate) == (0, (), 0.3)
    hello = until(lambda: [m for m in watcher.said("hello") if m["history"] == []][-1:])
    assert hello[0]["changes"] == []
    first = until(lambda: [f for f in watcher.frames() if f["seq"] > last and f["step"] == 0])[0]
    same_as_undisturbed(first, SMALL.replace(learning_rate=0.3))
    live.reach(run, 20)


def test_a_fork_has_its_parents_past_and_its_own_future(live: LiveHub):
    parent = live.hub.start(OWNER, SMALL, pace="fast")
    live.watch(parent)
    live.reach(parent, 120)
    # Compare under the lock, because both runs keep removing frames and filling in missing ones.
    with live.hub.registry.lock:
        fork = live.hub.fork(STRANGER, parent, 80, SMALL.replace(learning_rate=0.9))
        kept = [[frame.step for frame in live.hub.registry.runs[run].history if frame.step < 80]
                for run in (parent, fork)]  # fmt: skip
    assert kept[0] == kept[1] != []
    frame = live.watch(fork).frame_at(85)
    assert live.info(fork).changes == (Change(80, {"learning_rate": 0.9}),)
    same_as_undisturbed(frame, SMALL, {80: {"learning_rate": 0.9}})
    assert live.info(parent).changes == ()
    assert live.info(fork).owner_is(STRANGER)


def test_a_fork_replays_the_changes_before_its_step(live: LiveHub):
    parent = live.hub.start(OWNER, SMALL, pace="fast")
    live.watch(parent)
    live.reach(parent, 40)
    live.hub.set_knobs(OWNER, parent, learning_rate=0.4)
    at = until(lambda: live.info(parent).changes)[0].step
    live.reach(parent, at + 60)
    live.hub.set_knobs(OWNER, parent, learning_rate=0.05)
    until(lambda: len(live.info(parent).changes) == 2)
    fork = live.hub.fork(OWNER, parent, at + 30)
    assert live.info(fork).config.learning_rate == 0.4
    frame = live.watch(fork).frame_at(at + 33)
    same_as_undisturbed(frame, SMALL, {at: {"learning_rate": 0.4}})


def test_a_run_that_fails_in_the_engine_ends_alone_and_reset_revives_it(live: LiveHub):
    good = live.hub.start(OWNER, SMALL)
    live.watch(good)
    bad = live.hub.start(OWNER, SMALL.replace(device="cuda"))
    watcher = live.watch(bad)
    until(lambda: live.info(bad).status == "error")
    assert "cuda" in live.info(bad).error
    until(lambda: watcher.said("notice"))
    step = live.info(good).step
    live.reach(good, step + 3)


def test_a_run_that_sleeps_waits_for_its_first_viewer_at_step_0(live):
    run = live.hub.start(OWNER, SMALL, pace="full", asleep=True)
    other = live.hub.start(OWNER, SMALL, pace="full")
    live.watch(other)
    live.reach(other, 50)
    assert live.info(run).step == 0
    live.watch(run).frame_at(0)
    live.reach(run, 20)


CONTROLS = ("play", "pause", "step", "reset", "find_best")


def test_a_change_out_of_range_is_refused_by_name(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    refused = []
    for changes in ({"learning_rate": 1e9}, {"depth": 3}, {"colour": 1}):
        with pytest.raises(ConfigError) as caught:
            live.hub.set_knobs(OWNER, run, **changes)
        refused.append(caught.value.field)
    assert refused == ["learning_rate", "depth", "colour"]
    assert live.info(run).config == SMALL


def test_a_fork_ahead_of_its_parent_is_refused(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    with pytest.raises(ConfigError, match="`step` must be a whole number between 0 and"):
        live.hub.fork(OWNER, run, 10_000)


def test_a_strangers_control_is_refused(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    allowed = []
    for owner, control in itertools.product((STRANGER, "", "A" * 64), CONTROLS):
        try:
            getattr(live.hub, control)(owner, run)
            allowed.append((owner, control))
        except NotYours:
            pass
    assert not allowed
    with pytest.raises(NotYours):
        live.hub.set_knobs(STRANGER, run, learning_rate=1.0)
    with pytest.raises(NotYours):
        live.hub.set_pace(STRANGER, run, "full")
    assert live.info(run).config == SMALL
    assert (live.info(run).status, live.info(run).step) == ("paused", 0)


def test_control_of_no_run_is_refused(live: LiveHub):
    for control in CONTROLS:
        with pytest.raises(NoSuchRun):
            getattr(live.hub, control)(OWNER, "0" * 32)
    assert live.hub.info("0" * 32) is None


def test_an_unknown_pace_is_refused(live: LiveHub):
    with pytest.raises(ConfigError, match="one of 1/s, watch, fast, full"):
        live.hub.start(OWNER, SMALL, pace="warp")


def test_without_a_hub_scripts_are_told():
    before = install_hub(None)
    try:
        with pytest.raises(HubNotRunning):
            current_hub()
        with pytest.raises(HubNotRunning):
            Hub(Settings()).start(OWNER, SMALL)
    finally:
        install_hub(before)


def test_a_run_that_gives_its_place_to_another_browser_continues_as_if_it_had_not(live: LiveHub):
    with live.limited(max_runs=2, checkpoint_seconds=0.1):
        mine = [live.hub.start(OWNER, SMALL, pace="full") for _ in range(2)]
        pages = [live.watch(run) for run in mine]
        for page in pages:
            page.frame_at(30)
        other = live.hub.start(STRANGER, SMALL)
        visit = live.watch(other)
        visit.frame_at(1)
        (waits,) = [run for run in mine if live.info(run).status == "queued"]
        seen = live.info(waits).step
        visit.leave()
        live.hub.leave(STRANGER, other)
        same_as_undisturbed(pages[mine.index(waits)].frame_at(seen + 20), SMALL)
