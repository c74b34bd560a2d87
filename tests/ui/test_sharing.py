"""Addresses at which others reach a server that its visitor opened as localhost."""

import ipaddress

import pytest
import streamlit as st

from bnviz.ui.sharing import class_address, is_loopback, own_addresses
from tests.every_case import every_case


@every_case(
    ("host", "own"),
    [("localhost:8501", True), ("127.0.0.1", True), ("127.1.2.3:80", True), ("[::1]:8501", True),
     ("lab.localhost", True), ("192.168.1.5:8501", False), ("localhost.example.org", False),
     ("127.0.0.1.example.org", False), ("", False), ("[", False)],
)  # fmt: skip
def test_a_host_is_this_very_machine(host, own):
    assert is_loopback(host) is own


def test_it_is_said_to_no_visitor_from_elsewhere():
    assert class_address("bnviz.example.org") is None
    assert class_address("") is None


@pytest.mark.parametrize(("listening", "reached"), [("localhost", False), ("0.0.0.0", True)])
def test_whether_others_reach_it_and_what_serves_them(listening, reached, monkeypatch):
    options = {"server.address": listening, "server.port": 9001, "server.baseUrlPath": "/bn/"}
    monkeypatch.setattr(st, "get_option", options.__getitem__)
    said = class_address("localhost:9001")
    assert said["listens"] is reached
    assert said["command"] == "python -m bnviz serve --host 0.0.0.0 --port 9001 --base-path bn"
    assert said["hosts"] == own_addresses()


def test_own_addresses_are_of_this_machine_and_need_no_network():
    assert own_addresses(["not an address"]) == []
    assert own_addresses(["127.0.0.1"]) == []
    assert all(ipaddress.ip_address(address) for address in own_addresses())
