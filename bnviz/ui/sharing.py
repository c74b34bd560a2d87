"""Data of the *Share* dialog: labels for its links, and the server's addresses on the network.

A visitor who opened the page as localhost needs the machine's network addresses. They are read from
the routing table, without any network traffic.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from bnviz.config import KNOBS
from bnviz.ui.tab_run import TabRun
from bnviz.words.texts import texts

# Addresses for route look-ups: a documentation address for the default route, and one from each
# private range (RFC 1918, RFC 5737).
TOWARDS = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254")
DISCARD = 9
# Bind addresses of a server that accepts requests from every network.
EVERYWHERE = ("0.0.0.0", "::")


def is_loopback(host: str) -> bool:
    """Return whether a `Host` header names the browser's own machine."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        if name == "localhost" or name.endswith(".localhost"):
            return True
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def own_addresses(towards: Iterable[str] = TOWARDS) -> list[str]:
    """IPv4 addresses of this machine, with the address of the default route first."""
    found: list[str] = []
    for target in towards:
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking,
        ):
            asking.connect((target, DISCARD))  # sends nothing, because UDP has no connections
            found.append(asking.getsockname()[0])
    return [address for address in dict.fromkeys(found) if not is_loopback(address)]


def class_address(host: str | None = None) -> dict[str, Any] | None:
    """Data on access from other devices, or None if the page was not opened as localhost.

    Returns:
        `listens` says whether the server accepts requests from other machines, `hosts` are its
        addresses for them, and `command` starts a server that accepts them.
    """
    if host is None:
        host = st.context.headers.get("Host") or ""
    if not is_loopback(host):
        return None
    address = str(st.get_option("server.address") or EVERYWHERE[0])
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    command = f"python -m bnviz serve --host 0.0.0.0 --port {st.get_option('server.port')}"
    return {
        "listens": address in EVERYWHERE or not is_loopback(address),
        "hosts": own_addresses(),
        "command": command + (f" --base-path {base}" if base else ""),
    }


def share_data(run: TabRun) -> dict[str, Any]:
    return {
        "preset_label": texts("presets")[run.query.preset]["label"],
        "knob_labels": {name: knob.label for name, knob in KNOBS.items()},
        "class_address": class_address(),
    }
