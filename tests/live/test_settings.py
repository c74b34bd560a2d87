from __future__ import annotations

import os
from dataclasses import fields

import pytest

from bnviz.live.settings import MOST_WORKERS, Settings, SettingsError


def test_without_variables_every_limit_has_a_default():
    settings = Settings.from_environment({})
    assert settings == Settings()
    assert settings.worker_count >= 1


def test_a_machine_of_many_cores_gets_as_many_workers_as_may_be_asked_for(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(512)), raising=False)
    assert Settings().worker_count == Settings(workers=MOST_WORKERS).worker_count == MOST_WORKERS


def test_variables_are_read_by_name():
    settings = Settings.from_environment(
        {"BNVIZ_WORKERS": "3", "BNVIZ_LEASE_SECONDS": "1.5", "BNVIZ_DATA": "/elsewhere"}
    )
    assert (settings.worker_count, settings.lease_seconds) == (3, 1.5)


@pytest.mark.parametrize("limit", [f.name for f in fields(Settings) if "low" in f.metadata])
@pytest.mark.parametrize("text", ["", "many", "nan", "-1", "1e30"])
def test_a_wrong_variable_is_named_with_what_is_allowed(limit, text):
    name = f"BNVIZ_{limit.upper()}"
    with pytest.raises(SettingsError, match=f"`{name}` must be a number between .* got"):
        Settings.from_environment({name: text})


def test_a_wrong_log_level_names_the_right_ones():
    with pytest.raises(SettingsError, match="one of debug, info, warning"):
        Settings.from_environment({"BNVIZ_LOG_LEVEL": "loud"})


@pytest.mark.parametrize("text", ["10.0.0.1/8", "proxy.example", "10.0.0.1 10.0.0.2"])
def test_a_proxy_that_is_no_address_is_named_with_what_is_allowed(text):
    with pytest.raises(SettingsError, match="`BNVIZ_TRUSTED_PROXIES` must be addresses") as caught:
        Settings.from_environment({"BNVIZ_TRUSTED_PROXIES": text})
    assert text in str(caught.value)


@pytest.mark.parametrize("text", ["head", "head:0", ":6379", "ray://head:10001/x", "Auto"])
def test_a_cluster_that_is_no_address_is_named_with_what_is_allowed(text):
    with pytest.raises(SettingsError, match="`BNVIZ_MAP_CLUSTER` must be auto, local or HOST:PORT"):
        Settings.from_environment({"BNVIZ_MAP_CLUSTER": text})


@pytest.mark.parametrize("text", ["", "auto", "local", "head:6379", "[::1]:6379"])
def test_a_cluster_is_named_by_its_address(text):
    assert Settings.from_environment({"BNVIZ_MAP_CLUSTER": text}).map_cluster == text


def test_a_secret_stands_in_no_message():
    with pytest.raises(SettingsError, match=r"`BNVIZ_SECRET` .* at least 16 .* got 9 c") as caught:
        Settings.from_environment({"BNVIZ_SECRET": "too short"})
    assert "too short" not in str(caught.value)
    settings = Settings.from_environment({"BNVIZ_SECRET": "long enough to be one"})
    assert settings.secret == "long enough to be one"
    assert settings.secret not in repr(settings)
