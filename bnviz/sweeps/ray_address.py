"""Addresses of Ray clusters; imports nothing, as settings of the server read them too."""

from __future__ import annotations


def host_and_port(address: str) -> tuple[str, int]:
    """The parts of "HOST:PORT".

    Raises:
        ValueError: it is no such address.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(address)
    return host.strip("[]"), int(port)
