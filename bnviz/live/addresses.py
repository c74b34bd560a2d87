"""The network address that a request comes from, and what counts as one and the same address."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# An IPv6 subscriber has a network of this prefix or a larger one to take addresses from (RFC 6177).
SUBSCRIBER_BITS = 64
# The name of all addresses of this machine, and of a request without an address.
LOOPBACK, UNKNOWN = "loopback", "unknown"


def networks(text: str) -> tuple[Network, ...]:
    """Parse addresses and networks, separated by commas: "10.0.0.1, fd00::/8".

    Raises:
        ValueError: one of them is invalid.
    """
    parts = [part.strip() for part in text.split(",")]
    return tuple(ip_network(part) for part in parts if part)


def source(peer: str | None, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The address that a request comes from, as far as proxies can be trusted.

    A proxy appends its peer to `X-Forwarded-For`. So the header is read from its end, as long as
    the address that has written it is a trusted proxy; the client may have written the rest.

    Args:
        peer: the other end of the connection.
        forwarded: the `X-Forwarded-For` lines of the request, in order.
        trusted: the proxies that are trusted.

    Returns:
        An IPv4 address, an IPv6 network of one subscriber, `LOOPBACK` or `UNKNOWN`.
    """
    found = _parse(peer or "")
    hops = [hop for line in forwarded for hop in line.split(",")]
    while found is not None and hops and any(found in network for network in trusted):
        before = _parse(hops.pop())
        if before is None:
            break
        found = before
    return _group(found)


def trusted_peer(peer: str | None, trusted: Sequence[Network]) -> bool:
    """Whether the other end of a connection is a trusted proxy."""
    address = _parse(peer or "")
    return address is not None and any(address in network for network in trusted)


def _parse(text: str) -> Address | None:
    """An address, with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1]:80.

    An IPv4-mapped IPv6 address counts as its IPv4 address. None: it is no address.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address
    return address


def _group(address: Address | None) -> str:
    if address is None:
        return UNKNOWN
    if address.is_loopback:
        return LOOPBACK
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address), SUBSCRIBER_BITS), strict=False))
    return str(address)
