"""Lessons' runs as PyTorch scripts: each runs on its own and agrees with the engine."""

import ast
import functools
import io
import runpy
from contextlib import chdir, redirect_stdout
from math import inf
from pathlib import Path

import pytest
import torch

from bnviz.lessons.scripts import FOLDER, script_of
from bnviz.live.web.script_routes import DIGITS_FILE, digits_file
from tests.every_case import every_case
from tests.lessons.observing import CLAIMING, lesson, observed

SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py"))
# Scripts that take seconds, so that only `make verify` runs them.
LONG = (
    "break-it", "depth", "through-the-batch", "does-it-regularize", "is-it-shift", "whitening",
    "scale-and-shift", "what-it-buys", "images-and-sequences", "batch-size",
)  # fmt: skip
# Maximum number of statements, so that a script stays readable.
MOST_STATEMENTS = 70
# Tolerances of results of training: absolute for accuracies on 359 images, else relative.
SHARE, FACTOR = 0.05, 0.25
# Larger tolerances, because BN's accuracy jumps with two images per step, is measured only at every
# fifth step, or varies near chance level in a deep network.
JUMPS = {"batch-size": 0.2, "what-it-buys": 10, "depth": 0.1}
# Numbers that must agree with the engine to within 5 %: early values, or closed forms.
EXACT = {
    "by-hand": ("hand_before", "hand_after"),
    "break-it": ("plain_before",),
    "slow-start": ("plain", "plain_flat", "plain_left"),
    "through-the-batch": ("bias_half", "bias_end"),
    "two-modes": ("recomputed", "stored"),
    "size-of-weights": ("gradient_low", "gradient_high", "gradient_output", "plain_finite"),
    "depth": ("batch_growth", "plain_growth"),
    "is-it-shift": ("plain_shift", "batch_shift", "noisy_shift"),
}
# Times of steps, which differ between torch's layers and the engine's.
TIMED = ("price", "in_seconds", "zca_longer")


@functools.cache
def printed(name: str, folder: Path) -> tuple[dict[str, float], str]:
    """Run a script, and return its printed numbers by name, and its verdict."""
    (folder / DIGITS_FILE).write_bytes(digits_file())
    said = io.StringIO()
    with chdir(folder), redirect_stdout(said):
        runpy.run_path(str(FOLDER / f"{name}.py"))
    *numbers, verdict = said.getvalue().splitlines()
    return {key: float(value) for key, value in map(str.split, numbers)}, verdict


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torch.set_num_threads(1)
    return tmp_path_factory.mktemp("scripts")


def marked(names):
    long = [pytest.mark.verify, pytest.mark.timeout(900)]
    return [pytest.param(name, marks=long if name in LONG else []) for name in names]


@pytest.mark.parametrize("name", marked(SCRIPTS))
def test_a_script_finds_the_verdict_of_the_lesson(name, folder):
    """`test_verdicts.py` checks that the engine's verdict on the same run is "held"."""
    numbers, verdict = printed(name, folder)
    assert verdict == "held"
    assert len(numbers) >= 4


@pytest.mark.verify
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", SCRIPTS)
def test_its_numbers_are_those_that_the_lesson_prints(name, folder):
    found = lesson(name).verdict(observed(name, 0))
    numbers, verdict = printed(name, folder)
    assert verdict.replace(" ", "_") == found.outcome
    for key, value in numbers.items():
        there = found.numbers[key]
        if key in TIMED:
            continue
        if there is None:
            assert value == inf, "the run never reaches this step"
        elif key in EXACT.get(name, ()):
            assert value == pytest.approx(there, rel=0.05, abs=0.012), key
        else:
            off = abs(value - there)
            near = off <= JUMPS.get(name, SHARE) or off <= FACTOR * abs(there)
            assert near or max(value, there) < 0.01, (key, value, there)


def test_every_lesson_with_a_claim_has_one():
    assert set(CLAIMING) == set(SCRIPTS)


@every_case("name", SCRIPTS)
def test_a_script_is_short_and_needs_numpy_and_torch_alone(name):
    code = script_of(name)
    assert code is not None
    tree = ast.parse(code)
    statements = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not isinstance(getattr(node, "value", None), ast.Constant)
    ]  # fmt: skip
    assert len(statements) <= MOST_STATEMENTS
    imported = {
        part.split(".")[0]
        for node in ast.walk(tree)
        for part in ([alias.name for alias in node.names] if isinstance(node, ast.Import)
                     else [node.module or ""] if isinstance(node, ast.ImportFrom) else [])
    }  # fmt: skip
    assert imported <= {"numpy", "torch", "copy", "time"}
    assert "nn.BatchNorm" in code


def test_a_lesson_without_a_script_has_none():
    assert script_of("read-the-charts") is None
    assert script_of("../data/README") is None
