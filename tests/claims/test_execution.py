"""Seeds and processes with which statements are measured."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bnviz.claims import CLAIMS, execution
from bnviz.claims.execution import choose_claims, judgements
from bnviz.claims.judgement import StatementOutcome
from bnviz.claims.statement import Claim
from tests.claims import made_up
from tests.claims.measured import measured


@pytest.fixture(autouse=True)
def _made_up(monkeypatch):
    monkeypatch.setitem(CLAIMS, "E0", made_up.ENTRY)


def judged(seeds, **given):
    ((*found,),) = judgements(["E0"], seeds, **given)
    return {each.statement.key: each for each in found}


def test_all_means_every_claim():
    assert choose_claims("all") == tuple(CLAIMS)


def test_what_was_found_here_is_judged_on_seeds_that_it_was_not_found_on():
    found = judged(range(3))
    assert found["first"].seeds == found["second"].seeds == (0, 1, 2)
    assert found["third"].seeds == (5, 6, 7)
    assert found["third"].compared == (0.9, 0.9, 0.1)
    assert [each.outcome for each in found.values()] == [
        StatementOutcome.HOLDS, StatementOutcome.HOLDS, StatementOutcome.FAILS,
    ]  # fmt: skip


def test_fresh_seeds_are_fresh_for_all():
    found = judged(range(20, 22))
    assert {each.seeds for each in found.values()} == {(20, 21)}


def test_a_part_runs_on_the_seeds_of_its_own_statements_only(monkeypatch):
    ran = []
    measure = execution.measure
    monkeypatch.setattr(execution, "measure", lambda *task: ran.append(task) or measure(*task))
    judged(range(2))
    wanted = [("", 0), ("", 1), ("late", 5), ("late", 6), ("more", 0), ("more", 1)]
    assert sorted(ran) == [("E0", *task) for task in wanted]


def test_found_statements_can_be_left_out():
    assert set(judged(range(1), found=False)) == {"first", "second"}


@pytest.mark.parametrize(
    ("values", "message"),
    [({"first": 1.0, "fourth": 2.0}, "no statement uses"), ({}, "does not measure")],
)
def test_what_is_stated_must_be_measured_and_the_other_way_round(monkeypatch, values, message):
    monkeypatch.setattr(made_up, "CLAIM", Claim((made_up.DECLARED,), lambda seed: values))
    with pytest.raises(KeyError, match=message):
        judged(range(1))


@pytest.mark.parametrize("workers", [1, 3])
def test_each_value_goes_to_its_own_statement_whoever_measures_it(monkeypatch, workers):
    monkeypatch.setattr(execution, "WORTH_A_PROCESS", 0.0)
    monkeypatch.setattr(
        execution, "ProcessPoolExecutor",
        lambda workers, mp_context, initializer: ThreadPoolExecutor(workers),
    )  # fmt: skip
    found = judged(range(4), workers=workers)
    assert found["first"].values == (0.0, 0.1, 0.2, 0.3)
    assert found["second"].values == (0, 1, 2, 3)
    assert found["third"].values == (10, 11, 12, 13)
    assert found["third"].compared == (0.9, 0.9, 0.1, 0.9)


@pytest.mark.verify
def test_other_processes_measure_the_same(monkeypatch):
    monkeypatch.setattr(execution, "WORTH_A_PROCESS", 0.0)
    (found,) = judgements(["E16"], range(2), workers=2)
    for each in found:
        values = tuple(
            measured("E16", seed, each.statement.part)[each.statement.key] for seed in each.seeds
        )
        assert each.values == values
