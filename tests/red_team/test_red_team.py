"""The attack command stays within its limits, and reports a server that exceeds them."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.red_team.attack import load_attacks
from tests.red_team.measuring import Figures
from tests.red_team.table import Row

ROOT = Path(__file__).parents[2]
# Measurements of an idle server, and measurements during an attack that are within all limits.
CALM = Figures(health=[0.01] * 40, frames=14.0, memory=200.0, descriptors=20)
HELD = Figures(health=[0.01] * 39 + [9.0], frames=8.0, memory=380.0, descriptors=900)
MISSING = {
    "health": Figures([0.01] * 30 + [0.3] * 10, 14.0, 200.0, 20),
    "frames": Figures([0.01] * 40, 6.0, 200.0, 20),
    "memory": Figures([0.01] * 40, 14.0, 500.0, 20),
}


def row(during: Figures, left: int = 30) -> Row:
    found = Row("one", 100, CALM, during, (200.0, 210.0), (20, left))
    found.check()
    return found


def test_a_row_names_the_limits_that_it_misses_and_no_other():
    assert not row(HELD).wrong
    for word, figures in MISSING.items():
        (problem,) = row(figures).wrong
        assert word in problem
        assert f"MISSED: {problem}" in str(row(figures))
    (problem,) = row(HELD, left=101).wrong
    assert "descriptors" in problem


def test_every_attack_says_what_it_does():
    attacks = load_attacks()
    assert len(attacks) > 20
    assert [name for name, each in attacks.items() if not each.sentence.endswith(".")] == []
    assert all(asyncio.iscoroutinefunction(each.act) for each in attacks.values())


@pytest.mark.verify
@pytest.mark.timeout(900)
def test_a_stranger_with_scripts_does_not_disturb_the_others():
    found = subprocess.run(
        [sys.executable, "-m", "tests.red_team"], cwd=ROOT, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr
