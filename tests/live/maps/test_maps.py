"""Maps computed by workers: a map is computed while a page polls it, even if workers die."""

from __future__ import annotations

import os
import signal
from collections import Counter
from typing import Any

import pytest

from bnviz.config import RunConfig
from bnviz.live import LimitReached
from bnviz.live.errors import NoSuchMap
from bnviz.live.maps.live_map import MapProgress
from bnviz.live.maps.maps import RETRY_SECONDS
from bnviz.live.runs.worker_process import WorkerProcess
from bnviz.sweeps.setting import MapSetting, Span
from bnviz.sweeps.sweep import sweep
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, STRANGER, LiveHub, until
from tests.live.faults import freeze

RATES = Span("learning_rate", 0.1, 30.0, 4)
# Two adjacent batch sizes. No integer lies between them, so few networks are added along the limit
# between learned and broken cells.
SIZES = Span("batch_size", 8, 9, 2)


# Outcome of a network in a worker's message.
LEARNED = {
    "state": "learning", "break_step": None, "stopped": None, "paused": False,
    "test_accuracy": 0.9, "test_loss": 0.1,
}  # fmt: skip
# A stack with this number of steps kills its worker.
DEADLY = 77
SAYS = "from bnviz.live.protocol.heartbeat import Heartbeat; beat = Heartbeat.of(sys.argv)"
# Worker program whose networks all learn. It dies in a stack of `DEADLY` steps if MAY_DIE is true.
HEARS = f"""if header["type"] == "stack":
            if header["steps"][0] == {DEADLY} and MAY_DIE:
                beat.begin("map:%(map)s:%(number)d" % header)
                os._exit(1)
            say({{"type": "stacked", "map": header["map"], "number": header["number"],
                 "seconds": 1.0, "outcomes": [{LEARNED!r}] * len(header["cells"])}})"""


def setting(seed: int = 0, steps: int = 20, **config: Any) -> MapSetting:
    tiny = RunConfig(**{"depth": 2, "width": 8, "seed": seed, **config})
    return MapSetting(tiny, RATES, SIZES, steps=steps)


def poll(live: LiveHub, key: str, owner: str = OWNER, *, after: int = 0, wanted: bool = True):
    return live.call(lambda: live.hub.maps.poll(key, owner, after, wanted).plain())


def finish(live: LiveHub, key: str, owner: str = OWNER) -> dict[str, Any]:
    """Poll a map until it has ended and return its last response."""
    until(lambda: poll(live, key, owner)["status"] in ("finished", "failed"))
    return poll(live, key, owner)


def sent(live: LiveHub) -> int:
    return live.call(live.hub.maps.status)["map_networks"]


def rows_of(live: LiveHub, key: str) -> list[tuple[Any, ...]]:
    """Return the norm, the learning rate, the batch size and the seed of each network of a map."""
    rows = live.hub.maps.rows(key)
    return [(r["norm"], r["learning_rate"], r["batch_size"], r["seed"]) for r in rows]


def same_as_sweep(live: LiveHub, key: str, asked: MapSetting) -> None:
    """Check that every network ran once, with the same result as in a sweep."""
    rows, which = live.hub.maps.rows(key), rows_of(live, key)
    assert len(set(which)) == len(which)
    found = sweep(
        asked.config, learning_rates=asked.across.rungs,
        batch_sizes=[int(each) for each in asked.up.rungs], steps=asked.steps,
    )  # fmt: skip
    assert all(row in rows for row in found.rows())
    assert len(rows) == len(found.rows())


def test_a_map_that_nobody_polls_rests_and_goes_on(live: LiveHub):
    asked = setting(seed=2)
    until(live.all_ready)
    (worker,) = live.hub.registry.workers.living()
    # A map pauses soon after the last poll by a page.
    with live.limited(map_patience_seconds=0.3):
        freeze(worker)  # otherwise the map could finish before the first poll
        try:
            key = live.hub.maps.open(OWNER, asked)
            assert poll(live, key)["status"] == "running"
            # A browser that no longer wants the map ends only its own polling.
            assert poll(live, key, STRANGER, wanted=False)["status"] == "running"
            rests = lambda: poll(live, key, wanted=False)["status"] == "paused"  # noqa: E731
            until(rests)
        finally:
            os.kill(worker.pid, signal.SIGCONT)
        until(lambda: not live.hub.maps.status()["map_stacks_under_way"])
        before = sent(live)
        watched = live.watch(live.hub.start(OWNER, SMALL, pace="full"))
        watched.frame_at(50)
        assert (rests(), sent(live)) == (True, before)
    assert finish(live, key)["status"] == "finished"
    same_as_sweep(live, key, asked)


def test_maps_beside_a_watched_run_are_what_a_sweep_finds_and_come_from_the_cache(live: LiveHub):
    asked = setting(seed=1)
    key = live.hub.maps.open(OWNER, asked)
    assert key == live.hub.maps.open(STRANGER, setting(seed=1)), "one map"
    other = live.hub.maps.open("c" * 64, setting(seed=4))
    run = live.hub.start(OWNER, SMALL, pace="full")
    watcher = live.watch(run)
    last = finish(live, key)
    assert (last["status"], last["progress"]["phase"], last["problem"]) == (
        "finished",
        "done",
        None,
    )
    assert last["n"] == len(last["points"]) >= 16
    assert last["progress"]["done"] == last["progress"]["total"]
    assert poll(live, key, after=last["n"] - 3)["points"] == last["points"][-3:]
    same_as_sweep(live, key, asked)
    for owner, one in ((STRANGER, key), ("c" * 64, other)):
        assert finish(live, one, owner)["status"] == "finished"
    same_as_undisturbed(watcher.frame_at(live.info(run).step + 5), SMALL)
    before = sent(live)
    assert live.hub.maps.open("d" * 64, asked) == key
    assert poll(live, key, "d" * 64)["points"] == last["points"]
    assert sent(live) == before
    assert live.hub.maps.setting(key) == asked


class Turns:
    """Stacks sent to the only worker, answered by the test.

    Args:
        live: hub whose worker does nothing.
    """

    def __init__(self, live: LiveHub, monkeypatch: pytest.MonkeyPatch) -> None:
        self._live, self._sent = live, []
        monkeypatch.setattr(
            live.hub.registry.workers, "send", lambda _, header: self._sent.append(header)
        )

    def take(self, owners: dict[str, str], count: int) -> list[str]:
        """Answer `count` stacks and return the map of each.

        Args:
            owners: for each map, the owner that polls it.
        """
        maps, turns = self._live.hub.maps, []
        while len(turns) < count:
            for key, owner in owners.items():
                poll(self._live, key, owner)
            header = until(lambda: [each for each in self._sent if "number" in each])[0]
            self._sent.remove(header)
            if header["type"] == "stack":
                turns.append(header["map"])
            answer = {
                "type": "stacked", "map": header["map"], "number": header["number"],
                "seconds": 1.0, "outcomes": [LEARNED] * len(header["cells"]),
            }  # fmt: skip
            # A map whose survey is being processed gets no turn. Wait until every map can get the
            # next turn.
            until(lambda: not any(each.surveying for each in list(maps._maps.values())))
            self._live.call(lambda answer=answer: maps.receive(answer))
        return turns


# Map with 24 batch sizes. Each batch size gives tensors of a different shape, so it needs its own
# stack.
MANY = setting().replace(up=Span("batch_size", 8, 31, 24))


def test_a_visitor_with_two_maps_gets_no_more_than_one_with_one(stubs, monkeypatch):
    with stubs(hears="") as live:
        maps = live.hub.maps
        first, second = (maps.open(OWNER, MANY.replace(steps=steps)) for steps in (20, 21))
        third = maps.open(STRANGER, MANY.replace(steps=22))
        owners = {first: OWNER, second: OWNER, third: STRANGER}
        turns = Turns(live, monkeypatch).take(owners, 48)
    # The first turns are left out: they cover few shapes, and their results are processed
    # separately.
    turns = turns[16:]
    assert abs(turns.count(third) - turns.count(first) - turns.count(second)) <= 4
    assert abs(turns.count(first) - turns.count(second)) <= 4


def test_maps_of_many_visitors_take_turns_whoever_came_first(stubs, monkeypatch):
    with stubs(hears="", maps_per_owner=5) as live:
        maps, owners, worker = live.hub.maps, {}, Turns(live, monkeypatch)
        for number in range(6 * 5):
            owner = f"{number // 5}" * 64
            owners[maps.open(owner, MANY.replace(steps=20 + number))] = owner
        assert [poll(live, key, owner)["status"] for key, owner in owners.items()] == (
            ["running"] * 30
        )
        worker.take(owners, 30)
        late = maps.open(STRANGER, MANY.replace(steps=60))
        turns = worker.take(owners | {late: STRANGER}, 70)
    assert late in turns[:10], "its turn comes soon"
    by_owner = Counter(owners.get(key, STRANGER) for key in turns)
    assert max(by_owner.values()) - min(by_owner.values()) <= 4, by_owner


def kill_in_slice(live: LiveHub, key: str) -> None:

    def works(worker: WorkerProcess) -> bool:
        current = worker.slice()
        return current is not None and current.run.startswith(f"map:{key}")

    def killed() -> bool:
        poll(live, key)
        for worker in filter(works, live.hub.registry.workers.living()):
            freeze(worker)
            if works(worker):
                os.kill(worker.pid, signal.SIGKILL)
                return True
            os.kill(worker.pid, signal.SIGCONT)
        return False

    until(killed)


@pytest.mark.verify
def test_a_killed_workers_stacks_are_run_again_by_the_next_worker(mortal: LiveHub):
    asked = setting(seed=6, steps=300)
    before = mortal.hub.maps.status()["map_stacks_lost"]
    key = mortal.hub.maps.open(OWNER, asked)
    kill_in_slice(mortal, key)
    until(lambda: mortal.hub.maps.status()["map_stacks_lost"] > before)
    assert finish(mortal, key)["status"] == "finished"
    same_as_sweep(mortal, key, asked)


def test_stacks_of_a_worker_that_died_are_run_again_and_no_cell_twice(stubs, tmp_path):
    # The first worker creates a file when it dies. Because the file exists, the next worker
    # survives.
    died = tmp_path / "died"
    may_die = f"not os.path.exists({str(died)!r}) and not open({str(died)!r}, 'w').close()"
    with stubs(SAYS, HEARS.replace("MAY_DIE", may_die), workers=2) as live:
        until(live.all_ready)
        key = live.hub.maps.open(OWNER, setting(steps=DEADLY))
        assert finish(live, key)["status"] == "finished"
        assert live.hub.maps.status()["map_stacks_lost"] > 0
        rows = rows_of(live, key)
        assert len(set(rows)) == len(rows) >= 16
        wanted = {
            (norm, rate, int(size), 0)
            for norm in ("none", "batch") for rate in RATES.rungs for size in SIZES.rungs
        }  # fmt: skip
        assert wanted <= set(rows)
    assert died.exists()


# Map with a single network, which trains for `DEADLY` steps.
FATAL = MapSetting(
    RunConfig(depth=2, width=8, norms=("none",)), Span("learning_rate", 0.1, 0.1, 1),
    Span("batch_size", 256, 256, 1), steps=DEADLY,
)  # fmt: skip


def test_networks_in_whose_slices_workers_died_twice_end_their_map_and_no_other(stubs):
    with stubs(SAYS, HEARS.replace("MAY_DIE", "True"), workers=2) as live:
        until(live.all_ready)
        key, other = live.hub.maps.open(OWNER, FATAL), live.hub.maps.open(STRANGER, setting(seed=8))
        until(lambda: poll(live, key)["status"] == "failed")
        told = poll(live, key)
        assert told["problem"]["phrase"]["key"] == "errors.map_died"
        assert "crashed more than once" in told["problem"]["message"]
        assert live.call(live.hub.viewers.status)["worker_deaths"] == 2
        assert finish(live, other, STRANGER)["status"] == "finished"
        rows = rows_of(live, other)
        assert len(set(rows)) == len(rows) >= 16


def test_a_map_that_failed_is_opened_anew_after_ten_minutes_and_not_before(stubs):
    with stubs(SAYS, HEARS.replace("MAY_DIE", "True"), workers=1) as live:
        maps = live.hub.maps
        key = maps.open(OWNER, FATAL)
        until(lambda: poll(live, key)["status"] == "failed")
        for later, opened in ((RETRY_SECONDS - 60, 1), (120, 2)):
            maps._maps[key].failed_at -= later
            assert maps.open(OWNER, FATAL) == key
            assert maps.status()["maps_opened"] == opened


def test_limits_are_named_and_what_was_left_makes_room(stubs):
    limits = {"maps_per_owner": 1, "max_maps": 2, "map_networks": 16, "starts_per_minute": 4}
    with stubs(**limits, kept_maps=1, map_patience_seconds=3_600.0) as live:
        maps = live.hub.maps
        first = maps.open(OWNER, setting(seed=1))
        with pytest.raises(LimitReached, match="is already drawing 1 maps") as refused:
            maps.open(OWNER, setting(seed=2))
        assert refused.value.limit == "maps_per_owner"
        second = maps.open(OWNER, setting(seed=2), replaces=first)
        assert poll(live, first, wanted=False)["status"] == "paused"
        keys = [maps.open(owner, setting(seed=4)) for owner in (STRANGER, "d" * 64)]
        third = maps.open("c" * 64, setting(seed=3))
        assert poll(live, third, "c" * 64)["status"] == poll(live, second)["status"] == "running"
        until(lambda: not maps._maps[second].surveying)
        # Together, all maps may train max_maps × map_networks = 32 networks. After that, further
        # maps wait.
        maps._maps[second].progress = MapProgress(networks=32)
        told = poll(live, third, "c" * 64)
        assert (told["status"], told["place"]) == ("waiting", 1)
        assert poll(live, second)["status"] == "running"
        assert len(set(keys)) == 1
        for seed in (10, 11):
            second = maps.open(OWNER, setting(seed=seed), replaces=second)
        with pytest.raises(LimitReached, match="at most 4 runs"):
            maps.open(OWNER, setting(seed=12), replaces=second)
        with pytest.raises(LimitReached, match="must train 32 networks") as refused:
            maps.open("e" * 64, setting().replace(seeds=2))
        assert refused.value.limit == "map_networks"
        with pytest.raises(LimitReached, match="Cookies are needed"):
            maps.open("", setting())
        # Only the most recent unwatched maps are kept.
        with live.limited(map_patience_seconds=0.1):
            until(lambda: maps.status()["maps"] == {"paused": 1})
        with pytest.raises(NoSuchMap, match="reload the page"):
            maps.setting(first)


def test_a_drag_gives_up_the_maps_on_its_way_and_counts_as_one_start(live: LiveHub):
    maps, long = live.hub.maps, 2_000
    with live.limited(starts_per_minute=1):
        keys = [maps.open("e" * 64, setting(seed=11, steps=long))]
        for seed in (12, 13, 14):
            replaced = keys[-1]
            if seed == 14:
                # Another visitor also has this map.
                maps.open(STRANGER, setting(seed=13, steps=long))
            keys.append(
                maps.open("e" * 64, setting(seed=seed, steps=long), replaces=replaced, dragged=True)
            )
    told = [poll(live, key, "f" * 64, wanted=False)["status"] for key in keys]
    assert told[:2] == ["paused", "paused"]
    assert "paused" not in told[2:]
    again = maps.open("e" * 64, setting(seed=11, steps=2), replaces=keys[3])
    finish(live, again, "e" * 64)
    first = maps.open("e" * 64, setting(seed=11, steps=long), replaces=again, dragged=True)
    assert first == keys[0]
    assert poll(live, first, "e" * 64)["status"] != "paused"
