"""Connections whose client does nothing are closed, and no others."""

from __future__ import annotations

from typing import Any

from bnviz.live.web.connections import HalfOpen

SECONDS = 20.0


class Request:
    """Stand-in for Uvicorn's request and response cycle."""

    response_complete: bool
    more_body: bool


def request(*, answered: bool = False, more: bool = False) -> Request:
    found = Request()
    found.response_complete, found.more_body = answered, more
    return found


class Connection:
    """Stand-in for a Uvicorn protocol.

    Args:
        answered: whether the last request was answered, or None if there was no request.
    """

    def __init__(self, answered: bool | None) -> None:
        self.closed, self.transport, self.unread = False, self, 0
        self.cycle = None if answered is None else request(answered=answered)

    def get_write_buffer_size(self) -> int:
        return self.unread

    def abort(self) -> None:
        self.closed = True


class WebSocket(Connection):
    """Stand-in for a WebSocket protocol, before or after its handshake."""

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
    requests = {now: request(answered=True) for now in range(0, 100, 15)}
    for now in requests:
        assert looked_at(half_open, [connection], now, now + 14) == [0, 0]
        connection.cycle = requests[now]


def test_time_in_which_an_answer_is_made_does_not_count():
    connection, half_open = Connection(None), HalfOpen(SECONDS)
    looked_at(half_open, [connection], 0)
    connection.cycle = request()
    assert looked_at(half_open, [connection], 10, 60) == [0, 0]
    connection.cycle.response_complete = True
    assert looked_at(half_open, [connection], 61, 80, 82) == [0, 0, 1]


def test_a_request_whose_body_does_not_come_is_closed():
    connection = Connection(None)
    connection.cycle = request(more=True)
    assert looked_at(HalfOpen(SECONDS), [connection], 0, 19, 21) == [0, 0, 1]


def test_an_answer_that_nobody_reads_is_given_up_and_one_that_is_read_slowly_is_not():
    half_open, stuck, slow = HalfOpen(SECONDS), Connection(False), Connection(False)
    stuck.unread = 70_000
    for now in range(0, 100, 15):
        slow.unread = 70_000 - now
        half_open.close_overdue([stuck, slow], now)
    assert (stuck.closed, slow.closed) == (True, False)
