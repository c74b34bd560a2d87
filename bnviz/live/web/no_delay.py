"""Makes the server send small answers at once.

Streamlit binds its socket without naming the protocol, and asyncio turns Nagle's algorithm off only
where TCP is named. Left on, each answer on a kept-alive connection waits about 40 ms for the
browser's delayed acknowledgement: over a second for the hundred files of a page.
"""

from __future__ import annotations

import contextlib
import gc
import socket


def send_at_once() -> int:
    """Set TCP_NODELAY on this process's listening sockets; accepted connections inherit it.

    Nobody hands them over, and not every system lists a process's open files: they are looked for
    among all objects, which takes some hundredths of a second, once.

    Returns:
        How many sockets were listening.
    """
    return sum(_send_at_once(each) for each in gc.get_objects() if type(each) is socket.socket)


def _send_at_once(found: socket.socket) -> bool:
    tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    # Closed, or of a system that does not tell who listens: answers are slower, nothing breaks.
    with contextlib.suppress(OSError):
        if tcp and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return True
    return False
