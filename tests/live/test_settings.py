from __future__ import annotations

import itertools
import os
import re
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


def refusal(name: str, text: str) -> str:
    """Return the error for a variable's value, or "" if the value is accepted."""
    try:
        Settings.from_environment({name: text})
    except SettingsError as refused:
        return str(refused)
    return ""


def test_a_wrong_variable_is_named_with_what_is_allowed():
    names = [f"BNVIZ_{f.name.upper()}" for f in fields(Settings) if not isinstance(f.default, str)]
    assert len(names) > 30
    wrong = []
    for name, text in itertools.product(names, ("", "many", "nan", "-1", "1e30")):
        said = refusal(name, text)
        if not re.search(f"`{name}` must be a number between .* got", said):
            wrong.append((name, text, said))
    assert not wrong


def test_a_wrong_log_level_names_the_right_ones():
    with pytest.raises(SettingsError, match="one of debug, info, warning"):
        Settings.from_environment({"BNVIZ_LOG_LEVEL": "loud"})


def test_an_address_that_is_none_is_named_with_what_is_allowed():
    proxies = ("10.0.0.1/8", "proxy.example", "10.0.0.1 10.0.0.2")
    said = {text: refusal("BNVIZ_TRUSTED_PROXIES", text) for text in proxies}
    must = "`BNVIZ_TRUSTED_PROXIES` must be addresses"
    assert not {text: words for text, words in said.items() if must not in words}
    assert not {text: words for text, words in said.items() if text not in words}
    clusters = ("head", "head:0", ":6379", "ray://head:10001/x", "Auto")
    said = {text: refusal("BNVIZ_MAP_CLUSTER", text) for text in clusters}
    must = "`BNVIZ_MAP_CLUSTER` must be auto, local or HOST:PORT"
    assert not {text: words for text, words in said.items() if must not in words}


def test_a_cluster_is_named_by_its_address():
    texts = ["", "auto", "local", "head:6379", "[::1]:6379"]
    taken = [Settings.from_environment({"BNVIZ_MAP_CLUSTER": text}).map_cluster for text in texts]
    assert taken == texts


def test_a_secret_stands_in_no_message():
    with pytest.raises(SettingsError, match=r"`BNVIZ_SECRET` .* at least 16 .* got 9 c") as caught:
        Settings.from_environment({"BNVIZ_SECRET": "too short"})
    assert "too short" not in str(caught.value)
    settings = Settings.from_environment({"BNVIZ_SECRET": "long enough to be one"})
    assert settings.secret == "long enough to be one"
    assert settings.secret not in repr(settings)


def test_a_site_that_is_none_is_named_with_what_is_allowed():
    sites = (
        "*",
        "moodle.example",
        "'self'",
        "none",
        "https://a.example; script-src *",
        "javascript:",
    )
    said = {text: refusal("BNVIZ_FRAME_ANCESTORS", text) for text in sites}
    assert not {text: words for text, words in said.items()
                if "`BNVIZ_FRAME_ANCESTORS` must be self, or addresses" not in words}  # fmt: skip
    assert refusal("BNVIZ_FRAME_ANCESTORS", "self https://*.school.example:8443") == ""
