"""Small answers are sent at once."""

import socket

from bnviz.live.web.no_delay import send_at_once


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
