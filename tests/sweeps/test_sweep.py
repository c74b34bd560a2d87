"""Sweeps: arguments, arrays, rows and the command."""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from bnviz.__main__ import main
from bnviz.config import ConfigError, RunConfig
from bnviz.sweeps.cells import Cell, Done
from bnviz.sweeps.plane import Axis
from bnviz.sweeps.pool import Pool
from bnviz.sweeps.survey import Survey
from bnviz.sweeps.sweep import SweepResult, grid, planes, sweep
from tests.every_case import every_case

SMALL = RunConfig(depth=2, width=16, batch_size=16)
GRID = ["--learning-rates", "0.1,30", "--batch-sizes", "8,32", "--steps", "40",
        "--set", "depth=2", "--set", "width=16", "--set", "activation=relu",
        "--workers", "1"]  # fmt: skip


def small_sweep(**options: int) -> SweepResult:
    return sweep(SMALL, learning_rates=(0.1, 1.0, 30.0), batch_sizes=(8, 32), steps=60, **options)


def test_arrays_are_by_norm_rate_and_batch_size() -> None:
    seen: list[tuple[int, int]] = []
    found = sweep(
        SMALL, learning_rates=(0.1, 1.0, 30.0), batch_sizes=(8, 32), steps=60,
        progress=lambda done, of: seen.append((done, of)),
    )  # fmt: skip
    for values in (found.state, found.break_step, found.test_accuracy, found.learned):
        assert values.shape == (2, 3, 2)
    assert found.learned[:, 0].all()
    assert not found.learned[0, 2].any()
    assert (found.break_step[0, 2] >= 0).all()
    assert seen[-1] == (12, 12)
    assert seen == sorted(seen)


def test_two_processes_find_what_one_finds_also_when_one_of_them_is_killed() -> None:
    cells = grid(SMALL, learning_rates=(0.1, 1.0), batch_sizes=range(8, 40, 4), steps=60)
    with Pool(2) as pool:
        running = pool.run_cells(cells)
        found = next(running)
        multiprocessing.active_children()[0].kill()
        found += [pair for part in running for pair in part]
    with Pool(1) as pool:
        expected = [pair for part in pool.run_cells(cells) for pair in part]
    assert len(found) == len(cells)
    assert dict(found) == dict(expected)


def test_seeds_give_the_share_that_learned() -> None:
    found = small_sweep(seeds=3)
    assert found.seeds == (0, 1, 2)
    assert len(found.rows()) == 36
    assert set(np.round(found.learned * 3).ravel()) <= {0, 1, 2, 3}


@every_case(
    ("options", "field"),
    [
        ({"learning_rates": ()}, "learning_rates"),
        ({"learning_rates": (0.1, 0.1)}, "learning_rates"),
        ({"learning_rates": (1e9,)}, "learning_rate"),
        ({"batch_sizes": (0,)}, "batch_size"),
        ({"batch_sizes": ()}, "batch_sizes"),
        ({"steps": 0}, "steps"),
        ({"seeds": 0}, "seeds"),
        ({"seeds": 99_999}, "networks"),
    ],
)
def test_what_is_out_of_range_is_named(options: dict[str, object], field: str) -> None:
    asked: dict[str, object] = {"learning_rates": (0.1,), "batch_sizes": (8,), "steps": 1}
    with pytest.raises(ConfigError, match=f"`{field}`"):
        sweep(SMALL, **asked | options)  # type: ignore[arg-type]


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_the_command_prints_a_row_a_network(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *GRID]) == 0
    found = rows(capsys)
    assert [row["norm"] for row in found] == ["none"] * 4 + ["batch"] * 4
    assert {row["steps"] for row in found} == {"40"}
    assert main(["sweep", *GRID, "--format", "json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [str(line["learning_rate"]) for line in lines] == [row["learning_rate"] for row in found]


def test_a_sweep_that_was_stopped_goes_on_and_counts_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sweep.jsonl"
    assert main(["sweep", *GRID, "--resume", str(file)]) == 0
    whole = rows(capsys)
    lines = file.read_bytes().splitlines(keepends=True)
    # Simulate an earlier command that was stopped in the middle of a line.
    file.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    assert main(["sweep", *GRID, "--resume", str(file)]) == 0
    out = capsys.readouterr()
    assert list(csv.DictReader(io.StringIO(out.out))) == whole
    assert sorted(file.read_bytes().splitlines(keepends=True)) == sorted(lines)
    file.write_text("no sweep\n")
    assert main(["sweep", *GRID, "--resume", str(file)]) == 2
    assert "line 1" in capsys.readouterr().err


def test_interrupting_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch,
                                         capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    run = Pool.run_cells

    def interrupted(pool: Pool, cells: Sequence[Cell]) -> Iterator[Done]:
        yield next(run(pool, cells))
        raise KeyboardInterrupt

    monkeypatch.setattr(Pool, "run_cells", interrupted)
    assert main(["sweep", *GRID]) == 130
    assert 0 < len(rows(capsys)) < 8


def test_axes_go_up_by_equal_ratios_and_batch_sizes_are_whole() -> None:
    rate, batch = Axis("learning_rate", (0.01, 1.0)), Axis("batch_size", (4, 8))
    assert rate.at(4) == pytest.approx(0.1)
    assert [batch.at(eighths) for eighths in range(9)] == [4, 4, 5, 5, 6, 6, 7, 7, 8]
    assert Axis("depth", (1, 5)).at(4) == 3


def test_a_refined_map_runs_every_cell_once_and_finds_the_border() -> None:
    (plane, _) = planes(SMALL, learning_rates=(0.03, 0.3, 3.0, 30.0), batch_sizes=(8, 16), steps=60)
    survey, seen = Survey([plane], refined=True), list[Cell]()
    with Pool(1) as pool:
        while stacks := survey.next_stacks():
            for found in pool.run(stacks):
                survey.take(found)
                seen += [cell for cell, _ in found]
    assert len(seen) == len(set(seen)) == len(survey.done) > 8
    (kinds,) = survey.kinds
    for row in (0, 8):
        line = [kinds[point] for point in sorted(kinds) if point[1] == row]
        assert line[0] == "learned" != line[-1]
    assert survey.finished


def test_the_command_refines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *GRID]) == 0
    base = rows(capsys)
    assert main(["sweep", *GRID, "--refine"]) == 0
    refined = rows(capsys)
    assert len(refined) > len(base)
    assert all(row in refined for row in base)


@every_case(
    "arguments",
    [["--learning-rates", "fast"], ["--batch-sizes", "8,1.5"], ["--steps", "many"],
     ["--set", "dpeth=3"], ["--workers", "0"], ["--resume", "/no/such/folder/file"]],
)  # fmt: skip
def test_a_slip_is_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
