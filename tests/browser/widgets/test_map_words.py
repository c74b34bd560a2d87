"""Texts of the map, and every number in them: cells, boundaries and progress."""

from __future__ import annotations

import re
from typing import Any

from bnviz.words.texts import texts
from tests.browser.widgets.map_by_hand import ask, plan, row

POINT = {"i": 1, "j": 2}
PLACE = "Learning rate 0.1, batch size 64"


def cell(
    blank, rows: list[list[Any]], point: dict[str, int] = POINT, before: Any = None, **more: Any
) -> list[str]:
    """Return the texts about a cell: its position, and each network's result."""
    found = ask(blank, "cell", data=plan(**more), rows=rows, point=point, before=before)
    return [text.replace("\u00a0", " ") for text in found]


BROKEN = {"step": 31, "layer": "layer 4", "reason": "saturated", "accuracy": 0.23}


BECAME = [
    (("learned", {"accuracy": 0.871}), "learned, 87 % test accuracy"),
    (("learned", {"accuracy": 0.6, "step": 12, "state": "recovered"}),
     "broke at step 12 and recovered, 60 % test accuracy"),
    (("learned", {"accuracy": 0.7, "step": 12, "state": "stuck"}),
     "learned, though it broke at step 12, 70 % test accuracy"),
    (("stuck", {"accuracy": 0.11, "state": "stuck"}), "stuck at chance level, 11 % test accuracy"),
    (("stuck", {"accuracy": 0.42}), "not learned yet, 42 % test accuracy"),
    (("stuck", {"accuracy": None}), "not learned yet, outputs not finite"),
    (("stuck", {"accuracy": 0.1, "state": "paused"}),
     "its mini-batch is too small for this normalization, 10 % test accuracy"),
    (("broken", BROKEN),
     "broke at step 31 (layer 4: over 90 % of its values saturated), 23 % test accuracy"),
    (("broken", {**BROKEN, "layer": None, "accuracy": None}),
     "broke at step 31 (over 90 % of its values saturated), outputs not finite"),
    (("broken", {**BROKEN, "reason": None}), "broke at step 31, 23 % test accuracy"),
]  # fmt: skip


def test_a_cell_says_what_became_of_each_network_there(blank):
    wrong = []
    for (kind, values), said in BECAME:
        other = row(0, 1, 2, "learned", accuracy=0.52)
        found = cell(blank, [other, row(1, 1, 2, kind, **values)])
        if found != [PLACE, "learned, 52 % test accuracy", said]:
            wrong.append(f"{kind}, {values}: {found}")
    assert not wrong, "\n".join(wrong)


def test_a_cell_of_several_seeds_says_how_many_learned_and_of_equal_data_how_many_steps(blank):
    rows = [row(0, 1, 2, share=0.6, steps=120), row(1, 1, 2, "broken", share=0.2, steps=120)]
    first, second = cell(blank, rows, seeds=5)[1:]
    assert first.endswith(", 3 of 5 seeds learned")
    assert second.endswith(", 1 of 5 seeds learned")
    first, second = cell(blank, [rows[0], row(1, 1, 2, steps=1600)], equal="data")[1:]
    assert first.endswith(", 120 steps")
    assert second.endswith(", 1600 steps")
    of_two = [row(0, 1, 2, share=0.5), row(1, 1, 2)]
    assert cell(blank, of_two, seeds=2)[1].endswith(", 1 of 2 seeds learned")
    both = cell(blank, rows, seeds=5, equal="data")[1]
    assert both.endswith(", 3 of 5 seeds learned, 120 steps")
    assert "seeds" not in cell(blank, rows)[1]
    assert "steps" not in cell(blank, rows, seeds=5)[1]


def test_a_cell_that_is_not_run_yet_says_what_the_map_before_has_of_it(blank):
    before = {"data": plan(), "rows": [row(0, 1, 2, accuracy=0.77)]}
    _, first, second = cell(blank, [], {"i": 1, "j": 2}, before=before)
    known = "learned, 77 % test accuracy (measured at 0.1, 64)"
    assert first == f"not run yet; previous map: {known}"
    assert second == "not run yet"
    assert cell(blank, [row(0, 1, 2)], {"i": 1, "j": 2}, before=before)[1].startswith("learned,")


def test_all_of_a_cell_stands_on_the_page_and_is_spoken(blank):
    rows = [row(0, 1, 2, accuracy=0.52), row(1, 1, 2, "stuck")]
    found = ask(blank, "written", data=plan(), rows=rows, point=POINT)
    first, second = "learned, 52\u00a0% test accuracy", "not learned yet, 10\u00a0% test accuracy"
    assert found == [
        f"{PLACE} · Without BN: {first} · With BN: {second}",
        f"{PLACE}: Without BN: {first}. With BN: {second}.",
        "Point at a cell to read its numbers.", "Covered while the class thinks.",
    ]  # fmt: skip


# Values in the sentences of the map's summary.

ROWS = {"low": 8, "high": 32}
PAIR = {"network": "batch", "network_first": "none"}


def read(blank, *sentences: list[Any]) -> list[str]:
    told = {"sentences": {"largest": list(sentences)}}
    return ask(blank, "reading", data=plan(), reading=told)["sentences"]


def test_the_best_of_each_network_leads_row_by_row_then_how_far_they_learn(blank):
    best = [
        {"y": 4, "none": {"accuracy": 0.88, "x": 0.1}, "batch": {"accuracy": 0.825, "x": 0.31},
         "ahead": "none"},
        {"y": 16, "none": {"accuracy": 0.9, "x": 1}, "batch": {"accuracy": 0.91, "x": 10},
         "ahead": None},
        {"y": 64, "none": None, "batch": {"accuracy": 0.97, "x": 1}, "ahead": "batch"},
    ]  # fmt: skip
    sentences = {
        "best": [["best_ahead_at", {"network": "none", "network_first": "batch", "low": 4,
                                    "high": 4, "points": 6}]],
        "largest": [["level_everywhere", {**PAIR, **ROWS}]],
        "counts": [["counts", {"cells": 12, "all": 4, "none": 2}]],
    }  # fmt: skip
    told = {"best": best, "largest": [], "sentences": sentences}
    found = ask(blank, "reading", data=plan(), reading=told)
    assert found["titles"] == [
        "Best test accuracy: each network at its best learning rate",
        "Limit: the largest learning rate at which each network classifies half of the test set"
        " correctly",
    ]
    assert [[text.replace("\u00a0", " ") for text in row] for row in found["rows"]] == [
        ["Batch size (examples per mini-batch)", "without BN", "with BN"],
        ["64", "nowhere", "97 % at 1"], ["16", "90 % at 1", "91 % at 10"],
        ["4", "88 % at 0.1", "82 % at 0.31"],
    ]  # fmt: skip
    assert [text[:2] for text in found["marked"]] == ["97", "88"]
    assert "after 200 steps each" in found["about"]
    assert found["sentences"] == [
        "At batch size 4, the best test accuracy is 6 percentage points higher without BN than"
        " with BN.",
        "The largest learning rate that works is about the same with BN as without BN.",
        "On the grid of 12 settings, all networks learn in 4, and no network learns in 2.",
    ]
    assert found["link"] is None
    claim = {"text": "Measured.", "href": "/claims?row=E14.e"}
    found = ask(blank, "reading", data=plan(claim=claim), reading=told)
    assert found["link"] == "/claims?row=E14.e"
    of_data = ask(blank, "reading", data=plan(equal="data"), reading=told)
    assert "after the same amount of data" in of_data["about"]


def test_a_sentence_has_its_own_networks_rows_and_range(blank):
    span = {"key": "reading.range", "values": {"low": 2, "high": 8.5}}
    least = {"key": "reading.at_least", "values": {"low": 12}}
    between = "Between batch size 8 and 32"
    assert read(
        blank,
        ["counts", {"cells": 112, "all": 41, "none": 23}],
        ["counts_only", {"network": "batch", "cells": 7}],
        ["ahead_between", {**PAIR, **ROWS, "times": span}],
        ["ahead_everywhere", {**PAIR, **ROWS, "times": least}],
        ["behind_from", {**PAIR, **ROWS, "times": 3.2}],
        ["only_first_up_to", {**PAIR, **ROWS}], ["only_other_at", {**PAIR, **ROWS}],
        ["nothing_of_ours", {}],
    ) == [
        "On the grid of 112 settings, all networks learn in 41, and no network learns in 23.",
        "Settings in which only the network with BN learns: 7.",
        f"{between}, the largest learning rate that works is 2 to 8.5 times as large with BN as"
        " without BN.",
        "At every batch size, the largest learning rate that works is at least 12 times as large"
        " with BN as without BN.",
        "At batch size 8 and above, it is the other way round: the largest learning rate that works"
        " is 3.2 times as large without BN as with BN.",
        "At batch size 32 and below, the network without BN learns in some settings, but the"
        " network with BN learns in none.",
        "At batch size 8, the network with BN learns in some settings, but the network without BN"
        " learns in none.",
    ]  # fmt: skip


ENDS = {"_at": {"8"}, "_from": {"8"}, "_up_to": {"32"}, "_between": {"8", "32"},
        "_everywhere": set()}  # fmt: skip
KEYS = sorted(
    key for key in texts("map")["reading"]
    if key.startswith("counts") or (key.endswith(tuple(ENDS)) and key != "best_at")
)  # fmt: skip


def test_every_sentence_names_the_rows_of_which_it_is_said(blank):
    """The end of a key (at, from, up to, between) shows which rows its sentence names."""
    values = {**PAIR, "low": 8, "high": 32, "times": 3.2, "points": 3.2, "cells": 5, "all": 6,
              "none": 7, "learned": 9}  # fmt: skip
    said = dict(zip(KEYS, read(blank, *([key, values] for key in KEYS)), strict=True))
    for key, sentence in said.items():
        assert "{" not in sentence
        (named,) = [rows for end, rows in ENDS.items() if key.endswith(end)] or [None]
        if named is not None:
            assert {"8", "32"} & set(re.findall(r"\d+", sentence)) == named, key
            assert ("3.2" in sentence) is key.startswith(("ahead", "behind", "best")), key


BOTH = ("without", "with")


def test_the_borders_as_a_table_have_the_smallest_and_largest_value_of_their_row(blank):
    rows = [
        row(0, 0, 0, "broken"), row(0, 1, 0), row(0, 2, 0), row(0, 3, 0, "stuck"), row(0, 2, 1),
        row(0, 1, 2, "broken"), row(1, 0, 0), row(1, 1, 0), row(1, 3, 1), row(1, 0, 1),
        row(1, 0, 2, "stuck"),
    ]  # fmt: skip
    assert ask(blank, "table", data=plan(), rows=rows) == [
        ["Batch size (examples per mini-batch)",
         *(f"{norm} BN: learned at learning rate" for norm in BOTH)],
        ["64", "nowhere", "nowhere"],
        ["16", "1", "0.01 to 10"],
        ["4", "0.1 to 1", "0.01 to 0.1"],
    ]  # fmt: skip
