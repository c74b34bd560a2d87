"""Whatever comes in whatever order, from tabs, scripts, resets and dying workers: one order.

The hub is real; its worker is a queue, so that every interleaving can be tried without waiting.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.config import LIVE_KNOBS
from bnviz.live.hub import Hub
from bnviz.live.protocol.client_messages import SetKnob
from bnviz.live.protocol.wire import Header
from bnviz.live.runs import live_knobs
from bnviz.live.runs.viewer import Viewer
from bnviz.live.runs.worker_messages import WorkerMessages
from bnviz.live.runs.worker_process import WorkerProcess
from bnviz.live.settings import Settings
from tests.live.conftest import OWNER, SMALL

STOPS = {"origin": 0, "pause_at": 1_000, "target": 1_000}


class Queue:
    """Stands for the workers: keeps what it is told of changes until it confirms them."""

    def __init__(self, *_given: Any) -> None:
        self.changes: list[Header] = []

    def start(self) -> None:
        pass

    def __len__(self) -> int:
        return 1

    def at(self, place: int) -> None:
        return None

    def send(self, worker: int, header: Header, payload: bytes = b"") -> None:
        header = json.loads(json.dumps(header))  # as a pipe would
        if header["type"] == "start":
            self.changes = []
        elif header["type"] == "set_knobs":
            self.changes.append(header)


class Bench:
    """A hub with one run, two tabs of its owner, and time that stands still."""

    def __init__(self) -> None:
        self.hub = Hub(Settings(workers=1))
        self.registry = self.hub.registry
        self.worker_messages, self.worker = (
            WorkerMessages(self.registry),
            WorkerProcess(0, lambda *_: None),
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bnviz.live.runs.registry.Workers", Queue)
            self.registry.open(self.worker_messages.receive, lambda _: None)
        self.queue: Any = self.registry.workers
        self.id = self.hub.start(OWNER, SMALL)
        self.run = self.registry.runs[self.id]
        self.heard: list[list[dict[str, Any]]] = [[], []]
        self.tabs = [Viewer(self._hears(at), 5.0) for at in (0, 1)]
        for tab in self.tabs:
            self.hub.viewers.join(self.id, tab, OWNER)
        self.step = 0
        self.expected = self.run.live_knobs()

    def _hears(self, at: int) -> Any:
        async def take(text: str) -> None:
            self.heard[at].append(json.loads(text))

        return take

    def set_knob(self, tab: int, knob: str, value: Any, drag: int) -> None:
        viewer = self.tabs[tab]
        said = SetKnob(n=viewer.last_knob_number + 1, knob=knob, value=value, drag=drag)
        self.hub.viewers.set_knob(self.id, viewer, said)
        self.expected[knob] = value

    def script(self, knob: str, value: Any) -> None:
        self.hub.set_knobs(OWNER, self.id, **{knob: value})
        self.expected[knob] = value

    def tick(self) -> None:
        """The next value's time has come."""
        self.run.knob_queue.send_at = 0.0
        if self.run.knob_queue.send_timer is not None:
            self.run.knob_queue.send_timer.cancel()
        self.hub._live_knobs._send_timer_over(self.run)

    def confirm(self, steps: int) -> None:
        if self.queue.changes:
            told = self.queue.changes.pop(0)
            self.step += steps
            change = {"step": self.step, "values": told["values"], "drag": told["drag"]}
            header = {"type": "changed", "run": self.id, "generation": told["generation"],
                      "number": told["number"], "planned": None, "change": change,
                      "step": self.step, **STOPS}  # fmt: skip
            self.worker_messages.receive(self.worker, header, b"")

    def reset(self) -> None:
        self.hub.reset(OWNER, self.id)
        self.step = 0
        assert self.run.unconfirmed() == []
        assert self.run.initial_config == self.run.config

    def die(self) -> None:
        with self.registry.lock:
            self.registry.start_on_worker(self.run)
        assert self.run.placement.arrives_at >= self.run.log.last_step

    async def settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)


NUMBERS = {
    "learning_rate": [0.25, 0.5], "learning_rates": [None, (0.5, 1.0)], "batch_size": [7, 9],
    "momentum": [0.0, 0.5], "weight_decay": [0.0, 0.5],
}  # fmt: skip
SET = st.sampled_from(LIVE_KNOBS).flatmap(
    lambda knob: st.tuples(st.just(knob), st.sampled_from(NUMBERS[knob]))
)
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), st.integers(0, 1), SET, st.integers(0, 2)),
        st.tuples(st.just("script"), SET),
        st.tuples(st.just("tick")),
        st.tuples(st.just("confirm"), st.integers(0, 2)),
        st.tuples(st.sampled_from(["reset", "die"])),
    ),
    max_size=25,
)


async def act(bench: Bench, acts: list[tuple[Any, ...]]) -> None:
    for kind, *rest in acts:
        if kind == "turn":
            tab, (knob, value), drag = rest
            bench.set_knob(tab, knob, value, drag)
        elif kind == "script":
            bench.script(*rest[0])
        else:
            getattr(bench, kind)(*rest)
        await bench.settle()
        # Scripts see what is set at once, whatever is on its way.
        assert bench.run.live_knobs() == bench.expected
    while bench.run.knob_queue.waiting:
        bench.tick()
        await bench.settle()
    while bench.queue.changes:
        bench.confirm(1)


@settings(max_examples=100)
@given(ACTS)
def test_all_see_one_order_in_which_the_last_value_of_each_knob_wins(acts):
    async def main() -> None:
        bench = Bench()
        serving = [asyncio.create_task(tab.serve()) for tab in bench.tabs]
        try:
            await act(bench, acts)
            await bench.settle()
            run = bench.run
            assert run.pending == {}
            config = run.initial_config
            for change in run.log:
                config = config.replace(**change.values)
            assert config == run.config
            assert run.live_knobs() == bench.expected
            assert [c.step for c in run.log] == sorted(change.step for change in run.log)
            for tab, heard in zip(bench.tabs, bench.heard, strict=True):
                answers = [message["n"] for message in heard if message["type"] == "knob"]
                assert max(answers, default=-1) == tab.last_knob_number
                assert not [message for message in heard if message["type"] == "refused"]
        finally:
            for timer in (
                bench.run.knob_queue.send_timer,
                bench.run.knob_queue.announce_timer,
                bench.run.knob_queue.release_timer,
            ):
                if timer is not None:
                    timer.cancel()
            for tab in bench.tabs:
                tab.drop()
            await asyncio.gather(*serving)

    slow, live_knobs.VALUES_PER_SECOND = live_knobs.VALUES_PER_SECOND, 1e-6
    try:
        asyncio.run(main())
    finally:
        live_knobs.VALUES_PER_SECOND = slow
