"""Number of cores on all kinds of machines."""

import os

import pytest

from bnviz import __main__ as command_line
from bnviz.cores import usable_cores


def test_only_the_cores_that_this_process_may_use_count(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 3, 5}, raising=False)
    assert usable_cores() == 3


@pytest.mark.parametrize(("known", "cores"), [(6, 6), (None, 1)])
def test_where_the_system_does_not_tell_all_count(monkeypatch, known, cores):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: known)
    assert usable_cores() == cores


def test_a_sweep_starts_on_a_machine_of_more_cores_than_it_takes(monkeypatch, capsys):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(512)), raising=False)
    axes = ["--learning-rates", "0.1", "--batch-sizes", "4"]
    assert command_line.main(["sweep", *axes, "--address", "head:6379"]) == 2
    assert capsys.readouterr().err.startswith("`--address` must be left out")
