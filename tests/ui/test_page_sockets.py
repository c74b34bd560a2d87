"""Messages that a server accepts from its pages' sockets, and their limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from bnviz.live.settings import Settings
from bnviz.live.web.security import LATER, POLICY, STREAM
from bnviz.ui import page_sockets
from bnviz.ui.page_sockets import LARGE, MOST_LARGE, MOST_MESSAGES, MOST_RUNS, PageSockets

pytestmark = pytest.mark.anyio


def rerun(**state: Any) -> BackMsg:
    message = BackMsg()
    message.rerun_script.page_name = "about"
    for name, value in state.items():
        message.rerun_script.widget_states.widgets.add(id=name, string_value=value)
    return message


class Streamlit:
    """Stand-in for Streamlit that records the messages it receives."""

    def __init__(self) -> None:
        self.got: list[BackMsg] = []

    async def __call__(self, _scope: Any, receive: Any, _send: Any) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            self.got.append(BackMsg.FromString(message["bytes"]))


class Browser:
    """Socket of a page opened from `address`. `sent` contains the messages sent by the server."""

    def __init__(self, server: PageSockets, address: str = "192.0.2.1") -> None:
        self._scope = {
            "type": "websocket", "path": STREAM, "headers": [], "client": (address, 1),
        }  # fmt: skip
        self._server, self._messages = server, asyncio.Queue[dict[str, Any]]()
        self.sent: list[dict[str, Any]] = []
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async def send(message: dict[str, Any]) -> None:
            self.sent.append(message)

        await self._server(self._scope, self._messages.get, send)

    def say(self, *messages: BackMsg | bytes) -> None:
        for each in messages:
            content = each if isinstance(each, bytes) else each.SerializeToString()
            self._messages.put_nowait({"type": "websocket.receive", "bytes": content})

    async def leave(self) -> None:
        self._messages.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await self.task

    @property
    def refused(self) -> list[int]:
        return [each["code"] for each in self.sent if each["type"] == "websocket.close"]


@pytest.fixture
def streamlit() -> Streamlit:
    return Streamlit()


@pytest.fixture
def server(streamlit: Streamlit) -> PageSockets:
    return PageSockets(streamlit, Settings(pages_per_address=20))


async def test_only_what_pages_say_is_passed_on(server, streamlit):
    asked = rerun()
    asked.rerun_script.cached_message_hashes.extend(["a" * 64] * 9)
    others = [BackMsg(load_git_info=True), BackMsg(clear_cache=True), BackMsg(set_run_on_save=True)]
    browser = Browser(server)
    browser.say(*others, b"\xff\xff", asked, BackMsg(stop_script=True), BackMsg(app_heartbeat=True))
    await browser.leave()
    assert streamlit.got == [rerun(), BackMsg(stop_script=True), BackMsg(app_heartbeat=True)]


async def test_a_socket_that_sends_too_many_messages_is_closed(server, streamlit):
    browser = Browser(server)
    browser.say(*[BackMsg(app_heartbeat=True)] * (2 * MOST_MESSAGES))
    await browser.task
    assert browser.refused == [POLICY]
    assert len(streamlit.got) < 1.5 * MOST_MESSAGES


async def test_only_some_sockets_of_an_address_may_send_a_large_state(server, streamlit):
    large, browsers = rerun(state="x" * (LARGE + 1)), [Browser(server) for _ in range(MOST_LARGE)]
    for browser in browsers:
        browser.say(large, large)
    another, elsewhere = Browser(server), Browser(server, "192.0.2.2")
    await asyncio.sleep(0)
    for browser in (another, elsewhere):
        browser.say(large)
    await another.task
    assert another.refused == [POLICY]
    for browser in (*browsers, elsewhere):
        await browser.leave()
    assert streamlit.got == [large] * (2 * MOST_LARGE + 1)
    # The sockets above are closed, so other sockets may send.
    again = Browser(server)
    again.say(large)
    await again.leave()
    assert not again.refused


async def test_one_address_has_only_so_many_pages(server):
    browsers = [Browser(server) for _ in range(20)]
    await asyncio.sleep(0)
    one_more, elsewhere = Browser(server), Browser(server, "192.0.2.2")
    one_more.say(b"")
    await one_more.task
    assert one_more.refused == [LATER]
    for browser in (*browsers, elsewhere):
        await browser.leave()
        assert not browser.refused


async def test_scripts_of_an_address_that_runs_too_many_wait_and_those_of_others_do_not(
    server, streamlit, monkeypatch
):
    browsers = [Browser(server) for _ in range(2 * MOST_RUNS // MOST_MESSAGES)]
    waits = asyncio.Event()
    usual = asyncio.sleep

    async def sleep(seconds: float) -> None:
        if seconds:
            waits.set()
            await asyncio.Event().wait()
        await usual(0)

    monkeypatch.setattr(page_sockets.asyncio, "sleep", sleep)
    for browser in browsers:
        browser.say(*[rerun()] * MOST_MESSAGES)
    await waits.wait()
    assert len(streamlit.got) >= MOST_RUNS
    elsewhere = Browser(server, "192.0.2.2")
    elsewhere.say(rerun(other="1"))
    await elsewhere.leave()
    assert streamlit.got.count(rerun(other="1")) == 1
    for browser in browsers:
        browser.task.cancel()
    await asyncio.gather(*[browser.task for browser in browsers], return_exceptions=True)
