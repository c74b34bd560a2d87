"""Hub whose maps are computed on a cluster, tested without Ray."""

from __future__ import annotations

from typing import Any

from bnviz.sweeps.setting import Span
from tests.live.conftest import OWNER, SMALL, LiveHub, until
from tests.live.maps.test_maps import poll, setting
from tests.live.stub_worker import WORKERS_ONLY

# Map with 24 batch sizes. Each batch size gives tensors of a different shape, so it needs its own
# stack.
MANY = setting().replace(up=Span("batch_size", 8, 31, 24))


def cluster(live: LiveHub) -> dict[str, Any]:
    return live.hub.maps.status()["map_cluster"]


def test_stacks_go_to_the_cluster_alone_two_for_each_of_its_cores(stubs, monkeypatch):
    sent: dict[str, list[dict[str, Any]]] = {"cluster": [], "workers": []}
    with stubs(hears="", map_cluster="auto", workers=2) as live:
        until(lambda: cluster(live)["cores"] == 2)
        state = live.hub.registry
        for name, workers in (("cluster", live.hub.maps.cluster), ("workers", state.workers)):
            heard = sent[name]
            monkeypatch.setattr(workers, "send", lambda _, told, heard=heard: heard.append(told))
        key = live.hub.maps.open(OWNER, MANY)
        until(lambda: poll(live, key)["status"] == "running" and len(sent["cluster"]) == 4)
        first = sent["cluster"][0]
        live.call(lambda: live.hub.maps.receive({**first, "type": "stack_failed", "message": "no"}))
        told = poll(live, key)
        assert (told["status"], told["problem"]["message"]) == ("failed", "no")
        until(lambda: sent["cluster"][4:] == [{"type": "drop_map", "map": key}])
    assert sent["workers"] == []


def test_a_map_whose_cluster_is_away_waits_and_says_so_and_runs_go_on(stubs):
    with stubs(first=WORKERS_ONLY, map_cluster="127.0.0.1:1") as live:
        run = live.hub.start(OWNER, SMALL)
        key = live.hub.maps.open(OWNER, setting())
        told = poll(live, key)
        assert told["status"] == "waiting"
        assert told["problem"]["phrase"]["key"] == "errors.map_cluster_joining"
        problem = lambda: poll(live, key)["problem"]["phrase"]["key"]  # noqa: E731
        until(lambda: problem() == "errors.map_cluster_away")
        assert poll(live, key, wanted=False)["status"] == "paused"
        assert poll(live, key, wanted=False)["problem"] is None
        # The hub tries again.
        until(lambda: cluster(live)["times_ended"] > 1)
        assert cluster(live)["cores"] == 0
        assert "cannot join it now" in cluster(live)["problem"]
        live.watch(run).frame_at(0)
        assert live.call(live.hub.viewers.status)["worker_deaths"] == 0


def test_a_map_in_whose_stacks_the_cluster_is_always_lost_is_ended(stubs):
    dies = 'if header["type"] == "stack" and "cluster" in sys.argv[2]: os._exit(1)'
    with stubs(hears=dies, map_cluster="auto") as live:
        key = live.hub.maps.open(OWNER, setting())
        until(lambda: poll(live, key)["status"] == "failed")
        assert poll(live, key)["problem"]["phrase"]["key"] == "errors.map_cluster_lost"
        until(lambda: cluster(live)["problem"] is None)
