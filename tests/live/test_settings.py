from __future__ import annotations

from dataclasses import fields

import pytest

from bnviz.live.settings import Settings, SettingsError


def test_without_variables_every_limit_has_a_default():
    settings = Settings.from_environment({})
    assert settings == Settings()
    assert settings.worker_count >= 1


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
