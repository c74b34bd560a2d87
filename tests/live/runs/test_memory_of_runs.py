"""Runs together stay within the memory of the host: they wait, or are refused with a reason."""

from __future__ import annotations

import json
import time

import pytest

from bnviz.config import ConfigError, RunConfig
from bnviz.live.runs.housekeeping import maintain
from bnviz.live.runs.viewer import Viewer
from bnviz.live.settings import MEGABYTE
from tests.live.runs.quiet_hub import QuietHub

USUAL = RunConfig(device="cpu")
# Estimated at nearly three times the memory of a usual run.
LARGE = USUAL.replace(depth=18)
SIZE = USUAL.bytes_per_run()


class Page(Viewer):
    def __init__(self) -> None:
        super().__init__(self._nowhere, 5.0)

    async def _nowhere(self, _text: str) -> None: ...


def hub_for(usual_runs: float, **settings: int) -> QuietHub:
    return QuietHub(runs_bytes=int(usual_runs * SIZE), **settings)


def start(hub: QuietHub, browser: str, config: RunConfig = USUAL, *, watched: bool = True) -> str:
    run = hub.start(browser, config, asleep=True, address=browser)
    if watched:
        hub.viewers.join(run, Page(), browser, address=browser)
    return run


def on_workers(hub: QuietHub) -> set[str]:
    runs = hub.registry.runs.values()
    return {run.id for run in runs if run.placement.worker is not None}


@pytest.mark.anyio
async def test_a_run_waits_until_the_others_leave_it_enough_memory():
    hub = hub_for(2.5)
    first, second, third = (start(hub, browser) for browser in "abc")
    assert on_workers(hub) == {first, second}
    assert hub.registry.queue_place(hub.run(third)) == 1
    hub.registry.end(hub.run(first), "test")
    assert on_workers(hub) == {second, third}


@pytest.mark.anyio
async def test_unwatched_runs_end_until_a_larger_run_fits():
    hub = hub_for(3.5, grace_seconds=0.1)
    first, second, third = (start(hub, browser, watched=False) for browser in "aba")
    watched = hub.run(second)
    hub.viewers.join(second, Page(), "b")
    for run in (first, third):
        hub.run(run).last_watched = time.monotonic() - 1
    large = start(hub, "c", LARGE)
    assert hub.run(large).placement.state == "queued", "it would not fit beside the watched run"
    assert on_workers(hub) == {first, second, third}, "so no run has to end for it"
    hub.registry.end(watched, "test")
    assert on_workers(hub) == {large}


@pytest.mark.anyio
async def test_a_run_that_exceeds_the_memory_runs_alone():
    hub = hub_for(1)
    large = start(hub, "a", LARGE)
    other = start(hub, "b")
    assert on_workers(hub) == {large}
    hub.registry.end(hub.run(large), "test")
    assert on_workers(hub) == {other}


@pytest.mark.anyio
async def test_nobody_gives_up_a_place_that_does_not_suffice():
    hub = hub_for(4.2)
    of_one = {start(hub, "a") for _ in range(4)}
    start(hub, "b", LARGE)
    maintain(hub.registry)
    assert on_workers(hub) == of_one
    small = start(hub_two := hub_for(4.2), "b")
    more = {start(hub_two, "a") for _ in range(3)}
    waiting = start(hub_two, "c")
    maintain(hub_two.registry)
    assert small in on_workers(hub_two)
    assert waiting in on_workers(hub_two)
    assert len(more & on_workers(hub_two)) == 2


@pytest.mark.anyio
async def test_a_live_change_may_use_only_the_memory_that_others_leave():
    hub = hub_for(3)
    run = start(hub, "a")
    hub.set_knobs("a", run, batch_size=120)
    start(hub, "b")
    with pytest.raises(ConfigError, match=r"at most \d+ MB of memory now, because other runs"):
        hub.set_knobs("a", run, batch_size=1024)
    assert hub.run(run).config.batch_size == 120
    hub.set_knobs("a", run, batch_size=30)
    assert hub.run(run).config.batch_size == 30


def test_a_run_that_never_fits_is_refused_while_the_server_runs_and_the_log_says_the_limits(
    stubs, capfd
):
    with stubs(runs_bytes=2 * MEGABYTE, max_runs=7):
        with pytest.raises(ConfigError, match="at most 2 MB of memory per run on the CPU"):
            RunConfig(device="cpu")
        RunConfig(depth=2, width=16, device="cpu")
    assert RunConfig(device="cpu") == USUAL
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]
    (host,) = [line for line in lines if line["event"] == "host"]
    assert (host["workers"], host["workers_limited_by"], host["places"]) == (1, "setting", 7)
    assert host["cores"] >= 1
    assert host["bytes"] > 2**20
