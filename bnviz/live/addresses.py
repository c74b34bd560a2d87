"""Which network address a request comes from, and how addresses are told apart."""

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

# One subscriber has a whole network of IPv6 addresses to choose from (RFC 6177).
SUBSCRIBER_BITS = 64
# What stands for every address of this very machine, and for a request that comes without one.
LOOPBACK, UNKNOWN = "loopback", "unknown"


def networks(text: str) -> tuple[Network, ...]:
    """Read addresses and networks, separated by commas: "10.0.0.1, fd00::/8".

    Raises:
        ValueError: one of them is neither.
    """
    parts = [part.strip() for part in text.split(",")]
    return tuple(ip_network(part) for part in parts if part)


def source(peer: str | None, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The address a request comes from, as far as it can be believed, as a name for its group.

    A proxy appends whom it heard to `X-Forwarded-For`. So the header is read from its end, for as
    long as the one who vouches is a trusted proxy; what lies behind the first address that is none
    anybody may have written.

    Args:
        peer: who is at the other end of the connection.
        forwarded: the `X-Forwarded-For` lines of the request, in order.
        trusted: the proxies that are believed.
    """
    found = _parse(peer or "")
    hops = [hop for line in forwarded for hop in line.split(",")]
    while found is not None and hops and _among(found, trusted):
        before = _parse(hops.pop())
        if before is None:
            break
        found = before
    return _group(found)


def trusted_peer(peer: str | None, trusted: Sequence[Network]) -> bool:
    """Whether what the other end of a connection says about whom it serves is believed."""
    address = _parse(peer or "")
    return address is not None and _among(address, trusted)


def _parse(text: str) -> Address | None:
    """An address, with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1]:80.

    An IPv4 address in IPv6's clothes is what it is.
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


def _among(address: Address, listed: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in listed)


def _group(address: Address | None) -> str:
    if address is None:
        return UNKNOWN
    if address.is_loopback:
        return LOOPBACK
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address), SUBSCRIBER_BITS), strict=False))
    return str(address)
