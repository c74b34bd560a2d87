"""The tables of planted faults follow the code: each has one place, and tests to notice it."""

import pytest

from tests import planted_engines, planted_faults


@pytest.mark.parametrize("table", [planted_faults, planted_engines])
def test_every_fault_has_one_place(table):
    assert len(table.read_table()) > 10


def test_the_tests_that_should_notice_are_there():
    for fault in planted_faults.read_table():
        for pattern in fault.tests:
            assert any(planted_faults.ROOT.glob(pattern)), f"{fault.name}: {pattern}"
