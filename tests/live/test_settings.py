from __future__ import annotations

import itertools
import re
from dataclasses import fields

import pytest

from bnviz.config import RunConfig
from bnviz.host import Host, this_host
from bnviz.live.settings import (
    MEGABYTE,
    MOST_WORKERS,
    RUN_FACTOR,
    SERVER_BYTES,
    WORKER_BYTES,
    Settings,
    SettingsError,
)
from bnviz.presets import PRESETS

GB = 2**30
LARGE = Host(512, 512 * GB)


def test_without_variables_every_limit_has_a_default():
    assert Settings.from_environment({}, Host(4)) == Settings()
    assert Settings.from_environment({}).workers_on(this_host())[0] >= 1


def test_a_machine_of_many_cores_gets_as_many_workers_as_may_be_asked_for():
    assert Settings().workers_on(LARGE) == (MOST_WORKERS, "most")
    assert Settings(workers=MOST_WORKERS).workers_on(LARGE) == (MOST_WORKERS, "setting")


def test_workers_are_as_many_as_cores_and_memory_allow():
    cases = {
        Host(1, GB / 2): (1, "affinity"), Host(16, GB / 2): (1, "memory"),
        Host(1, GB): (1, "affinity"), Host(2, GB): (1, "memory"), Host(16, GB): (1, "memory"),
        # What a machine of 1 GB reports.
        Host(2, 0.94 * GB): (1, "memory"),
        Host(16, 2 * GB): (3, "memory"), Host(16, 4 * GB): (8, "memory"),
        Host(4, 8 * GB): (4, "affinity"), Host(2, 8 * GB, "quota"): (2, "quota"),
        Host(16, 16 * GB): (16, "affinity"), Host(3): (3, "affinity"),
    }  # fmt: skip
    assert {host: Settings().workers_on(host) for host in cases} == cases


def test_with_little_memory_the_limits_are_smaller_unless_they_are_set():
    small = Settings.from_environment({}, Host(1, GB))
    assert (small.max_runs, small.measured_at_once, small.max_maps) == (8, 2, 4)
    kept = {"runs_bytes": 68, "history_bytes": 4, "pinned_bytes": 64, "kept_map_bytes": 32}
    assert {name: getattr(small, name) // MEGABYTE for name in kept} == kept
    asked = {"BNVIZ_MAX_RUNS": "30", "BNVIZ_HISTORY_BYTES": str(16 * MEGABYTE)}
    given = Settings.from_environment(asked, Host(1, GB))
    assert (given.max_runs, given.history_bytes) == (30, 16 * MEGABYTE)
    assert given.runs_bytes == small.runs_bytes
    # More workers leave less memory for runs.
    two = Settings.from_environment({"BNVIZ_WORKERS": "2"}, Host(2, 2 * GB))
    three = Settings.from_environment({"BNVIZ_WORKERS": "3"}, Host(2, 2 * GB))
    assert two.runs_bytes > three.runs_bytes


def test_on_no_host_the_limits_exceed_its_memory_or_refuse_a_preset():
    """The estimates are those of `settings.py`, which `benchmarks.memory` measures."""
    largest = max(RunConfig(**preset.knobs).bytes_per_run() for preset in PRESETS.values())
    wrong = []
    for cores, memory in itertools.product((1, 2, 4, 16, 64), (0.25, 0.5, 1, 1.5, 2, 3, 4, 8, 64)):
        host = Host(cores, memory * GB)
        settings = Settings.from_environment({}, host)
        workers, _ = settings.workers_on(host)
        used = SERVER_BYTES + workers * WORKER_BYTES + RUN_FACTOR * settings.runs_bytes
        if memory >= 1 and used > host.memory:
            wrong.append((cores, memory, "memory"))
        if settings.runs_bytes < largest or settings.max_runs < 4:
            wrong.append((cores, memory, "presets"))
    assert not wrong


def test_variables_are_read_by_name():
    settings = Settings.from_environment(
        {"BNVIZ_WORKERS": "3", "BNVIZ_LEASE_SECONDS": "1.5", "BNVIZ_DATA": "/elsewhere"}
    )
    assert (settings.workers, settings.lease_seconds) == (3, 1.5)


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
