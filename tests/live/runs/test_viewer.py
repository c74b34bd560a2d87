"""A single viewer: which messages it receives, and when."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from bnviz.live.runs import viewer as viewer_module
from bnviz.live.runs.housekeeping import maintain
from bnviz.live.runs.viewer import MOST_WAITING, WINDOW, Viewer
from tests.live.conftest import OWNER, SMALL
from tests.live.runs.quiet_hub import QuietHub


class Socket:
    """Socket that records messages. It blocks while `open` is cleared."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.open = asyncio.Event()
        self.open.set()

    async def send(self, text: str) -> None:
        await self.open.wait()
        self.sent.append(json.loads(text))

    def steps(self) -> list[int]:
        return [message["seq"] for message in self.sent if message["type"] == "frame"]


def frame(seq: int) -> str:
    return json.dumps({"type": "frame", "seq": seq})


def with_viewer(test: Callable[[Viewer, Socket, Any], Awaitable[None]], seconds: float = 5) -> None:
    """Run a test while a viewer is being served."""

    async def main() -> None:
        socket = Socket()
        viewer = Viewer(socket.send, seconds)
        serving = asyncio.create_task(viewer.serve())

        async def settle() -> None:
            for _ in range(20):
                await asyncio.sleep(0)

        try:
            await test(viewer, socket, settle)
        finally:
            viewer.drop()
            await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(main())


def test_two_frames_are_on_their_way_and_the_newest_waits_behind_them():
    async def test(viewer, socket, settle):
        for seq in range(10):
            viewer.offer_frame(seq, frame(seq))
            await settle()
        assert socket.steps() == [0, 1]
        assert viewer.dropped_frames == 7
        viewer.acknowledge(0)
        await settle()
        assert socket.steps() == [0, 1, 9]
        assert len(socket.steps()) == WINDOW + 1

    with_viewer(test)


def test_an_acknowledgement_covers_all_before_it():
    async def test(viewer, socket, settle):
        for seq in (0, 1):
            viewer.offer_frame(seq, frame(seq))
            await settle()
        viewer.acknowledge(1)
        for seq in (2, 3, 4):
            viewer.offer_frame(seq, frame(seq))
            await settle()
        assert socket.steps() == [0, 1, 2, 3]

    with_viewer(test)


def test_other_messages_wait_too_and_only_the_latest_of_a_kind_is_sent_but_each_notice():
    async def test(viewer, socket, settle):
        for seq in (0, 1):
            viewer.offer_frame(seq, frame(seq))
            await settle()
        for number in range(50):
            viewer.offer({"type": "status", "number": number})
            viewer.offer({"type": "notice", "number": number})
        await settle()
        assert len(socket.sent) == 2
        viewer.acknowledge(1)
        await settle()
        last = [message["number"] for message in socket.sent[2:] if message["type"] == "status"]
        assert last == [49]
        notices = [message for message in socket.sent[2:] if message["type"] == "notice"]
        assert [message["number"] for message in notices] == list(range(50))

    with_viewer(test)


def test_a_hello_overtakes_what_was_true_before_it():
    async def test(viewer, socket, settle):
        viewer.offer({"type": "status"})
        viewer.offer_frame(3, frame(3))
        viewer.offer({"type": "hello"})
        viewer.offer_frame(4, frame(4))
        await settle()
        assert [message["type"] for message in socket.sent] == ["hello", "frame"]
        assert socket.steps() == [4]

    with_viewer(test)


def test_a_hidden_page_gets_no_frames_until_it_is_seen_again():
    async def test(viewer, socket, settle):
        viewer.hide(True)
        viewer.offer_frame(0, frame(0))
        viewer.offer({"type": "status"})
        await settle()
        assert [message["type"] for message in socket.sent] == ["status"]
        assert viewer.silent_seconds() == 0
        viewer.hide(False)
        await settle()
        assert socket.steps() == [0]

    with_viewer(test)


def test_a_phone_gets_no_more_frames_a_second_than_it_asked_for(monkeypatch):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(viewer_module, "time", SimpleNamespace(monotonic=lambda: clock.now))

    async def test(viewer, socket, settle):
        viewer.limit_rate(20.0)
        viewer.offer_frame(0, frame(0))
        await settle()
        viewer.acknowledge(0)
        for seq in (1, 2):
            viewer.offer_frame(seq, frame(seq))
        clock.now += 0.049
        viewer.acknowledge(0)  # makes the viewer check again whether a frame is due
        await settle()
        assert socket.steps() == [0]
        clock.now += 0.002
        viewer.acknowledge(0)
        await settle()
        assert socket.steps() == [0, 2]

    with_viewer(test)


def test_a_send_that_is_blocked_too_long_ends_it():
    async def main() -> None:
        socket = Socket()
        socket.open.clear()
        viewer = Viewer(socket.send, 0.05)
        viewer.offer_frame(0, frame(0))
        with pytest.raises(TimeoutError):
            await viewer.serve()
        assert viewer.dropped_frames == 0

    asyncio.run(main())


def test_dropping_ends_it():
    async def main() -> None:
        viewer = Viewer(Socket().send, 5.0)
        serving = asyncio.create_task(viewer.serve())
        await asyncio.sleep(0)
        viewer.drop()
        await asyncio.wait_for(serving, 5)

    asyncio.run(main())


def test_finishing_says_the_last_words_first():
    async def main() -> None:
        socket = Socket()
        viewer = Viewer(socket.send, 5.0)
        viewer.offer({"type": "notice", "key": "expired"})
        viewer.finish()
        await asyncio.wait_for(viewer.serve(), 5)
        assert [message["type"] for message in socket.sent] == ["notice"]

    asyncio.run(main())


def test_of_errors_none_takes_the_place_of_another():
    async def test(viewer, socket, settle):
        for seq in (0, 1):
            viewer.offer_frame(seq, frame(seq))
            await settle()
        for value in ("first", "second"):
            viewer.offer({"type": "error", "value": value})
        viewer.acknowledge(1)
        await settle()
        assert [message["value"] for message in socket.sent[2:]] == ["first", "second"]

    with_viewer(test)


def test_no_answer_is_lost_and_all_outlive_a_hello():
    async def test(viewer, socket, settle):
        for seq in (0, 1):
            viewer.offer_frame(seq, frame(seq))
            await settle()
        viewer.offer({"type": "status"})
        for n in (1, 2, 7, 5):
            viewer.offer({"type": "knob", "n": n})
        answers = [("refused", n) for n in range(40)]
        answers += [("acted", 50), ("acted", 51), ("dropped", 52)]
        for kind, n in answers:
            viewer.offer({"type": kind, "n": n})
        viewer.offer({"type": "hello"})
        viewer.acknowledge(1)
        await settle()
        told = socket.sent[2:]
        assert [message["n"] for message in told if message["type"] == "knob"] == [7]
        assert [(m["type"], m["n"]) for m in told if m["type"] not in ("knob", "hello")] == answers
        assert [message["type"] for message in told].count("hello") == 1
        viewer.offer({"type": "knob", "n": 3})
        await settle()
        assert socket.sent[-1]["n"] == 3

    with_viewer(test)


def test_a_viewer_that_takes_no_answers_is_dropped():
    async def test(viewer, socket, settle):
        viewer.offer_frame(0, frame(0))
        viewer.offer_frame(1, frame(1))
        await settle()
        socket.open.clear()
        for n in range(MOST_WAITING):
            viewer.offer({"type": "acted", "n": n})
        assert not viewer.dropped
        viewer.offer({"type": "acted", "n": MOST_WAITING})
        assert viewer.dropped
        socket.open.set()

    with_viewer(test)


def test_where_nothing_is_sent_there_are_beats_and_who_answers_them_no_more_is_silent(monkeypatch):
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(viewer_module, "time", SimpleNamespace(monotonic=lambda: clock.now))

    async def test(viewer, socket, settle):
        async def beats_after(seconds: float) -> int:
            clock.now += seconds
            viewer.limit_rate(60.0)  # makes the viewer check again whether a heartbeat is due
            await settle()
            return sum(message["type"] == "beat" for message in socket.sent)

        viewer.offer({"type": "status"})
        await settle()
        assert await beats_after(1.9) == 0
        assert await beats_after(0.2) == 1
        assert await beats_after(60.0) == 2
        assert viewer.silent_seconds() == 0, "a program does not have to acknowledge frames"
        viewer.beat()
        assert await beats_after(2.1) == 3
        clock.now += 5.0
        assert viewer.silent_seconds() == pytest.approx(5.0)
        viewer.beat()
        assert viewer.silent_seconds() == 0
        # Heartbeats are also sent while a slow browser has not acknowledged its frames.
        for seq in (0, 1):
            viewer.offer_frame(seq, frame(seq))
            assert await beats_after(1.0) == 3
        assert socket.steps() == [0, 1]
        assert await beats_after(2.1) == 4

    with_viewer(test)


@pytest.mark.anyio
async def test_a_viewer_that_missed_frames_is_sent_the_index_of_kept_ones_once_the_run_rests():
    hub = QuietHub(workers=1)
    run, viewer = hub.start(OWNER, SMALL), Viewer(Socket().send, 5.0)
    hub.viewers.join(run, viewer, OWNER)
    await hub.settle()
    told: list[str] = []

    async def sent() -> list[str]:
        maintain(hub.registry)
        await hub.settle()
        while (text := viewer._take()) is not None:
            told.append(json.loads(text)["type"])
        return told

    for step in (0, 1, 2):
        hub.hear_frame(run, step)
    assert viewer.dropped_frames == 2
    assert "history" not in await sent(), "the run continues and sends more frames"
    hub.pause(OWNER, run)
    assert (await sent()).count("history") == 1
    hub.run(run).history_sent_at = 0.0
    assert (await sent()).count("history") == 1
