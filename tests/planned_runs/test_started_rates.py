"""Recorded results for the learning rate's slider agree with the engine."""

from bnviz.commands.rates import measure
from bnviz.config import RunConfig
from bnviz.planned_runs.started_rates import (
    BATCH_SIZES,
    RUNGS,
    SEEDS,
    STEPS,
    RateSpan,
    rate_spans,
    started_rates,
)
from tests.every_case import every_case

# Learning rates far from every limit on any processor. At the first two rates both networks learn,
# at the third only the network with BN, and at the last neither network.
FAR = (0.02, 0.1, 1.5, 10.0)


def test_what_is_shipped_is_of_the_usual_run_at_every_rung():
    found = started_rates()
    assert (found["rates"], found["steps"], found["seeds"]) == (list(RUNGS), STEPS, SEEDS)
    assert tuple(found["kinds"]) == RunConfig().norms
    for rows in found["kinds"].values():
        assert list(map(int, rows)) == list(BATCH_SIZES)
        for kinds in rows.values():
            assert [len(seeds) for seeds in kinds] == [SEEDS] * len(RUNGS)


def test_the_engine_does_what_is_shipped():
    sizes = (32, RunConfig().batch_size)
    found, shipped = measure(FAR, sizes, seeds=1), started_rates()
    for norm, rows in found["kinds"].items():
        for size, kinds in rows.items():
            there = [shipped["kinds"][norm][size][RUNGS.index(rate)] for rate in FAR]
            assert [set(seeds) for seeds in there] == [set(seeds) for seeds in kinds]


@every_case(
    ("none", "batch", "said"),
    [
        ("lll", "lll", (("none", "batch"), False)),
        ("bbb", "lll", (("batch",), True)),
        ("sss", "lll", (("batch",), False)),
        ("ssb", "lll", (("batch",), True)),
        ("lll", "bbb", (("none",), True)),
        ("sss", "sss", ((), False)),
        ("bbb", "sss", ((), True)),
        ("llb", "lll", (None, False)),
        ("bbb", "lls", (None, False)),
    ],
)
def test_who_learns_is_told_only_where_all_seeds_agree(none, batch, said):
    kinds = {"none": {"60": [none]}, "batch": {"60": [batch]}}
    assert rate_spans({"rates": [1.0], "kinds": kinds}, 60) == [RateSpan(0, 0, *said)]


def test_neighbours_that_do_alike_are_one_part():
    kinds = {"none": {"8": list("llbbb")}, "batch": {"8": list("llllb")}}
    found = rate_spans({"rates": [1.0, 2.0, 3.0, 4.0, 5.0], "kinds": kinds}, 8)
    assert [(part.first, part.last) for part in found] == [(0, 1), (2, 3), (4, 4)]
    assert [part.learn for part in found] == [("none", "batch"), ("batch",), ()]
