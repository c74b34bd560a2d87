"""The GPU benchmark reports its measurements, and says which measurements are missing."""

import pytest

from benchmarks.gpu import MAPS, PAIRS, main, map_cells
from bnviz.device import Gpu, tell


def test_without_a_gpu_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bnviz.device._told", list[Gpu | None]())
    tell(None)
    assert main([]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("NOT MEASURED: torch finds no GPU.")
    assert not told.out


def test_its_small_rows_run_on_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cpu", "--seconds", "0"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("no GPU; torch ")
    assert [pair.name in told for pair in PAIRS] == [pair.small for pair in PAIRS]
    assert "not allowed" not in told


def test_its_maps_are_those_that_were_measured_before() -> None:
    assert [len(map_cells(*sizes)) for sizes in MAPS] == [2210, 16448]
