"""Each planted fault has exactly one place in the code, and tests that must notice it. Mutations
are valid code.
"""

import ast

import pytest

from tests import mutations, planted_engines, planted_faults


@pytest.mark.parametrize("table", [planted_faults, planted_engines])
def test_every_fault_has_one_place(table):
    assert len(table.read_table()) > 10


def test_the_tests_that_should_notice_are_there():
    for fault in planted_faults.read_table():
        for pattern in fault.tests:
            assert any(planted_faults.ROOT.glob(pattern)), f"{fault.name}: {pattern}"


def test_each_mutation_changes_one_line_into_another_one_that_parses():
    drawn = mutations.draw(100, seed=1, below=mutations.PACKAGE / "norms")
    assert len(set(drawn)) == 100
    assert {mutation.kind for mutation in drawn} == {
        "comparison", "operator", "constant", "negation",
    }  # fmt: skip
    for mutation in drawn:
        before = (mutations.ROOT / mutation.file).read_bytes()
        after = mutation.applied_to(before)
        assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before)), mutation
        changed = zip(before.splitlines(), after.splitlines(), strict=True)
        assert sum(old != new for old, new in changed) == 1, mutation
