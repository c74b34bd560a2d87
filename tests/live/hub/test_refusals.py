"""What the hub refuses scripts, by name."""

from __future__ import annotations

import pytest

from bnviz.config import ConfigError
from bnviz.live import HubNotRunning, NoSuchRun, NotYours, current_hub, install_hub
from bnviz.live.hub.hub import Hub
from bnviz.live.settings import Settings
from tests.live.conftest import OWNER, SMALL, STRANGER, LiveHub

CONTROLS = ("play", "pause", "step", "reset", "find_best")


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"learning_rate": 1e9}, "learning_rate"), ({"depth": 3}, "depth"), ({"colour": 1}, "colour")],
)
def test_a_change_out_of_range_is_refused_by_name(live: LiveHub, changes, field):
    run = live.hub.start(OWNER, SMALL, paused=True)
    with pytest.raises(ConfigError) as caught:
        live.hub.change(OWNER, run, **changes)
    assert caught.value.field == field
    assert live.info(run).config == SMALL


def test_a_fork_ahead_of_its_parent_is_refused(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    with pytest.raises(ConfigError, match="`step` must be a whole number between 0 and"):
        live.hub.fork(OWNER, run, 10_000)


@pytest.mark.parametrize("control", CONTROLS)
def test_a_strangers_control_is_refused(live: LiveHub, control):
    run = live.hub.start(OWNER, SMALL, paused=True)
    for owner in (STRANGER, "", "A" * 64):
        with pytest.raises(NotYours):
            getattr(live.hub, control)(owner, run)
    with pytest.raises(NotYours):
        live.hub.change(STRANGER, run, learning_rate=1.0)
    with pytest.raises(NotYours):
        live.hub.set_pace(STRANGER, run, "full")
    assert live.info(run).config == SMALL


@pytest.mark.parametrize("control", CONTROLS)
def test_control_of_no_run_is_refused(live: LiveHub, control):
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
