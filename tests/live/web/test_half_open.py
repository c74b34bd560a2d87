"""Connections on which no whole request comes are closed; all others are left alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from bnviz.live.web.half_open import HalfOpen

SECONDS = 20.0


class Connection:
    """Stands for a protocol of Uvicorn.

    Args:
        answered: whether its last request was answered; None: it has had none.
    """

    def __init__(self, answered: bool | None) -> None:
        self.closed, self.transport = False, self
        self.cycle = None if answered is None else SimpleNamespace(response_complete=answered)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


class WebSocket(Connection):
    """Stands for a protocol of a WebSocket, which is open or not yet."""

    def __init__(self, *, opened: bool = False) -> None:
        super().__init__(answered=None)
        del self.cycle
        self.handshake_complete = opened


def looked_at(half_open: HalfOpen, connections: list[Any], *times: float) -> list[int]:
    return [half_open.close_overdue(connections, now) for now in times]


def test_a_connection_without_a_whole_request_is_closed():
    silent, answered, answering = Connection(None), Connection(True), Connection(False)
    websocket = WebSocket(opened=True)
    everything = [silent, answered, answering, websocket]
    assert looked_at(HalfOpen(SECONDS), everything, 0, 19, 21, 22) == [0, 0, 2, 0]
    assert (silent.closed, answered.closed, answering.closed) == (True, True, False)


def test_a_websocket_that_does_not_open_is_closed():
    websocket = WebSocket()
    assert looked_at(HalfOpen(SECONDS), [websocket], 0, 19, 21) == [0, 0, 1]
    assert websocket.closed


def test_each_request_gives_a_connection_its_time_again():
    connection, half_open = Connection(None), HalfOpen(SECONDS)
    for now in range(0, 100, 15):
        assert looked_at(half_open, [connection], now, now + 14) == [0, 0]
        connection.cycle = SimpleNamespace(response_complete=True)


def test_time_in_which_an_answer_is_made_does_not_count():
    connection, half_open = Connection(None), HalfOpen(SECONDS)
    looked_at(half_open, [connection], 0)
    connection.cycle = SimpleNamespace(response_complete=False)
    assert looked_at(half_open, [connection], 10, 60) == [0, 0]
    connection.cycle.response_complete = True
    assert looked_at(half_open, [connection], 61, 80, 82) == [0, 0, 1]
