"""Sockets that can be cut from outside, and connections that send small responses at once."""

from __future__ import annotations

import socket

from bnviz.live.web.connections import CUT, Cuttable, cut_connection, send_at_once


class Protocol:
    """Protocol as in a server: `send` is a method of the object that has the transport."""

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

    cut_connection(call(send))


def nodelay(connection: socket.socket) -> bool:
    return bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


def test_connections_accepted_by_a_bound_socket_do_not_wait():
    with socket.socket(socket.AF_INET) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        assert send_at_once() >= 1
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
            with accepted:
                assert nodelay(accepted)


def test_other_sockets_are_left_alone():
    with (
        socket.socket(socket.AF_INET) as idle,
        socket.socket(socket.AF_UNIX) as local,
        socket.socket(socket.AF_INET) as closed,
    ):
        local.bind("")
        local.listen()
        closed.close()
        before = send_at_once()
        assert not nodelay(idle)
        local.close()
        assert send_at_once() == before, "a socket that is not TCP's does not count"
