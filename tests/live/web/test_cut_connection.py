"""A socket that can be cut from outside."""

from __future__ import annotations

from bnviz.live.web.cut_connection import CUT, Cuttable


class Protocol:
    """As a server has them: `send` is a method of what holds the transport."""

    def __init__(self) -> None:
        self.transport, self.aborted = self, False

    def abort(self) -> None:
        self.aborted = True

    async def send(self, message) -> None: ...


def call(send) -> dict:
    import asyncio

    seen: dict = {}

    async def app(scope, receive, send):
        seen.update(scope)

    asyncio.run(Cuttable(app)({"type": "websocket"}, None, send))
    return seen


def test_a_socket_can_be_cut_where_the_server_lets_us():
    protocol = Protocol()
    call(protocol.send)[CUT]()
    assert protocol.aborted


def test_elsewhere_cutting_does_nothing():
    async def send(message) -> None: ...

    assert call(send)[CUT]() is None
