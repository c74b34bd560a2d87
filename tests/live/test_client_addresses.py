"""Source address of a request, which a visitor cannot forge with headers."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bnviz.live.client_addresses import LOOPBACK, UNKNOWN, read_ip_networks, source, trusted_peer

PROXIES = read_ip_networks("10.0.0.0/8, 127.0.0.1,2001:db8:1::/48")
PROXY = "10.1.2.3"
public = st.ip_addresses(v=4, network="198.51.100.0/24").map(str)
proxies = st.one_of(
    st.ip_addresses(v=4, network="10.0.0.0/8"), st.ip_addresses(v=6, network="2001:db8:1::/48")
).map(str)
addresses = st.ip_addresses().map(str)
# Forged header values: addresses of proxies and of other machines, lists, and arbitrary text.
anything = st.lists(st.one_of(st.text(max_size=12), addresses, proxies)).map(",".join)


@settings(max_examples=40)
@given(peer=public, forged=st.lists(anything))
@example(peer="198.51.100.7", forged=["10.0.0.1"])
def test_who_is_no_listed_proxy_is_taken_for_the_peer_whatever_it_says(peer, forged):
    assert source(peer, forged, PROXIES) == peer
    assert source(peer, forged, ()) == peer
    assert not trusted_peer(peer, PROXIES)


@settings(max_examples=40)
@given(visitor=public, forged=st.lists(anything), behind=st.lists(proxies, max_size=3))
@example(visitor="198.51.100.7", forged=["203.0.113.9"], behind=["10.0.0.2"])
def test_what_proxies_appended_counts_and_what_stands_before_it_does_not(visitor, forged, behind):
    lines = [*forged, ", ".join([visitor, *behind])]
    assert source(PROXY, lines, PROXIES) == visitor
    one_line = [",".join([*forged, visitor, *behind])]
    assert source(PROXY, one_line, PROXIES) == visitor


@given(visitor=public, port=st.integers(0, 65535), space=st.sampled_from(["", " ", "\t"]))
def test_a_port_and_spaces_are_no_part_of_an_address(visitor, port, space):
    assert source(PROXY, [f"{space}{visitor}:{port}{space}"], PROXIES) == visitor
    six = f"[2001:db8:2::{port:x}]:{port}"
    assert source(PROXY, [space + six], PROXIES) == "2001:db8:2::/64"


@given(low=st.integers(0, 2**64 - 1), other=st.integers(0, 2**64 - 1))
def test_an_ipv6_subscriber_is_one_address_and_the_next_one_another(low, other):
    network = int(ipaddress.ip_address("2001:db8:77:5::"))
    first, second = (str(ipaddress.IPv6Address(network + part)) for part in (low, other))
    assert source(first, (), ()) == source(second, (), ()) == "2001:db8:77:5::/64"
    assert source(str(ipaddress.IPv6Address(network + 2**64 + low)), (), ()) != "2001:db8:77:5::/64"


@given(peer=st.one_of(st.none(), st.text(), addresses), lines=st.lists(st.text()))
def test_nothing_that_is_sent_makes_it_fail(peer, lines):
    assert source(peer, lines, PROXIES)
    assert source(PROXY, lines, PROXIES)


def test_cases():
    cases = [
        (None, [], UNKNOWN),
        ("testclient", [], UNKNOWN),
        ("127.0.0.1", [], LOOPBACK),
        ("::1", [], LOOPBACK),
        ("::ffff:192.0.2.1", [], "192.0.2.1"),
        ("::ffff:10.0.0.1", ["192.0.2.1"], "192.0.2.1"),
        # If a proxy hides its visitor or sends no header, the proxy's own address is used.
        ("10.0.0.1", ["192.0.2.1, unknown"], "10.0.0.1"),
        ("10.0.0.1", ["192.0.2.1,"], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        # The visitor's address is in the proxies' own network.
        ("10.0.0.1", ["10.9.9.9"], "10.9.9.9"),
    ]
    found = [(peer, lines, source(peer, lines, PROXIES)) for peer, lines, _ in cases]
    assert found == cases


def test_what_is_no_network_is_refused():
    for text in ("10.0.0.1/8", "proxy.example", "10.0.0", "1;2", "::1/129"):
        with pytest.raises(ValueError):
            read_ip_networks(text)
    assert read_ip_networks(" , ") == ()
