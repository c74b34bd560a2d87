"""Addresses of Ray clusters. This module imports nothing, so that server settings load quickly."""

from __future__ import annotations


def host_and_port(address: str) -> tuple[str, int]:
    """Split "HOST:PORT" into host and port; raise `ValueError` for any other text."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(address)
    return host.strip("[]"), int(port)
