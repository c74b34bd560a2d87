"""Client addresses of requests, read behind trusted proxies and grouped by subscriber."""

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
IpNetwork = IPv4Network | IPv6Network

# Number of leading bits of an IPv6 address that identify a subscriber. A subscriber has at least a
# whole /64 network (RFC 6177), so the whole network counts as one address.
SUBSCRIBER_BITS = 64
# Names for all addresses of this machine, and for a request without a valid address.
LOOPBACK, UNKNOWN = "loopback", "unknown"


def read_ip_networks(text: str) -> tuple[IpNetwork, ...]:
    """Parse comma-separated IP networks ("10.0.0.1, fd00::/8"), or raise `ValueError`."""
    parts = [part.strip() for part in text.split(",")]
    return tuple(ip_network(part) for part in parts if part)


def source(peer: str | None, forwarded: Sequence[str], trusted: Sequence[IpNetwork]) -> str:
    """Return the client's address, as far as the proxies are trusted.

    Each proxy appends its peer's address to `X-Forwarded-For`. Read the entries from the end as
    long as a trusted proxy wrote them, because the client may have forged earlier entries. The
    result is an IPv4 address, the /64 network of an IPv6 address, `LOOPBACK` or `UNKNOWN`.
    """
    found = _parse(peer or "")
    hops = [hop for line in forwarded for hop in line.split(",")]
    while found is not None and hops and any(found in network for network in trusted):
        before = _parse(hops.pop())
        if before is None:
            break
        found = before
    return _group(found)


def trusted_peer(peer: str | None, trusted: Sequence[IpNetwork]) -> bool:
    """Return whether the other end of a connection is a trusted proxy."""
    address = _parse(peer or "")
    return address is not None and any(address in network for network in trusted)


def _parse(text: str) -> Address | None:
    """Parse an address with an optional port, or return None. Turn an IPv4-mapped one into IPv4."""
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
