"""Outcomes of questions about a map, computed from the map's cells, and the questions that a map's
axes allow.
"""

from __future__ import annotations

from typing import Any

import pytest

from bnviz.ui.map.page import map_words

RATES, SIZES = [0.01, 0.1, 1.0, 10.0], [4, 16, 64]
PAIR = ["none", "batch"]
# Number of lowest rates at which each network learns, for each row from the bottom. The bottom row
# of the plane is the smallest batch size, where the network without BN leads.
USUAL = {"none": [3, 3, 3], "batch": [2, 4, 4]}


def axis(knob: str, rungs: list[float]) -> dict[str, Any]:
    return {
        "knob": knob, "label": knob, "said": knob.replace("_", " "), "rungs": rungs,
        "logarithmic": knob != "depth", "whole": knob in ("batch_size", "depth"),
    }  # fmt: skip


def rows(learns: dict[str, list[int]]) -> list[list[Any]]:
    """Return the feed's rows for networks that learn at the given number of lowest rates."""
    return [
        [number, i, j, rate, size, "learned" if i < reach else "broken", *[None] * 8]
        for number, reaches in enumerate(learns.values())
        for j, (size, reach) in enumerate(zip(SIZES, reaches, strict=True))
        for i, rate in enumerate(RATES)
    ]


@pytest.fixture(scope="module")
def came(blank):
    """Return `came(question, learns)`, the result of `mapOutcome` for a map whose networks learn at
    these rates.
    """

    def judge(question: dict[str, Any], learns: dict[str, list[int]] = USUAL, **more: Any) -> Any:
        script = """async ([question, plan, rows, more]) => {
          const { MapModel } = await import('/assets/v1/map/model.js');
          const { mapOutcome } = await import('/assets/v1/map/map_questions.js');
          const model = new MapModel(plan);
          model.take(rows);
          const norms = plan.norms.map(({ name }) => name);
          return mapOutcome(question, { over: true, failed: false, norms, model, ...more }); }"""
        plan = {
            "across": axis("learning_rate", RATES), "up": axis("batch_size", SIZES),
            "norms": [{"name": norm} for norm in learns],
        }  # fmt: skip
        asked = {
            "kind": "highest", "networks": [*PAIR, None], "network": None, "same": 2,
            "climb": "across", "row": None, "bounds": None, **question,
        }  # fmt: skip
        return blank.evaluate(script, [asked, plan, rows(learns), more])

    return judge


REACHED = [
    ({}, USUAL, [1], [(1.0, False), (10.0, True)]),
    ({}, {"none": [2, 4, 1], "batch": [1, 3, 1]}, [0], [(10.0, True), (1.0, False)]),
    ({}, {"none": [3, 1, 1], "batch": [1, 1, 3]}, [2], [(1.0, False), (1.0, False)]),
    ({}, {"none": [0, 0, 0], "batch": [0, 1, 0]}, [1], [(None, False), (0.01, False)]),
    ({}, {"none": [0, 0, 0], "batch": [0, 0, 0]}, [], [(None, False), (None, False)]),
    # Questions about a single row: at the smallest batch size, the network without BN learns at
    # higher rates.
    ({"kind": "row", "row": 4}, USUAL, [0], [(1.0, False), (0.1, False)]),
    ({"kind": "row", "row": 64}, USUAL, [1], [(1.0, False), (10.0, True)]),
    # Questions along the vertical axis, where the network that reaches the last value may be
    # another one.
    ({"climb": "up"}, USUAL, [2], [(64, True), (64, True)]),
    ({"climb": "up"}, {"none": [2, 2, 0], "batch": [2, 0, 0]}, [0], [(16, False), (4, False)]),
    ({"kind": "row", "climb": "up", "row": 10.0}, USUAL, [1], [(None, False), (64, True)]),
    # Two of three networks may tie. Without an answer for a tie, all tied answers are right.
    ({"networks": [*PAIR, "layer", None], "same": 3},
     {"none": [1, 1, 1], "batch": [3, 1, 1], "layer": [3, 3, 3]},
     [1, 2], [(0.01, False), (1.0, False), (1.0, False)]),
    ({"same": None, "networks": PAIR}, {"none": [1] * 3, "batch": [1] * 3},
     [0, 1], [(0.01, False)] * 2),
    # Questions about the largest learning rate at which one network learns. The answers are
    # intervals between bounds.
    ({"kind": "reach", "network": "none", "bounds": [0.05, 0.5, 5]}, USUAL,
     [2], [(1.0, False)]),
    ({"kind": "reach", "network": "batch", "bounds": [0.1, 1, 10]},
     {"none": [0] * 3, "batch": [2] * 3}, [0], [(0.1, False)]),
]  # fmt: skip


def test_who_learns_at_the_highest_value_is_read_off_the_cells(came):
    wrong = []
    for question, learns, *expected in REACHED:
        found = came(question, learns)
        key, values = found["words"]
        reached = [(each["value"], each["end"]) for each in values["reached"]]
        named = "row" if "row" in question else "highest"
        if [found["answers"], reached] != expected or key != named:
            wrong.append(f"{question}, {learns}: {found}")
    assert not wrong, "\n".join(wrong)


def test_most_of_the_plane_is_its_largest_part(came):
    most = {"kind": "most", "networks": [None, *PAIR, None], "same": None}
    found = came(most, USUAL)
    # Of the 12 settings, both networks learn in 8, only the network without BN in 1, only the
    # network with BN in 2, and neither in 1.
    assert found["answers"] == [0]
    assert found["words"][1]["shares"] == pytest.approx([8 / 12, 1 / 12, 2 / 12, 1 / 12])
    assert came(most, {"none": [0, 0, 1], "batch": [0, 1, 1]})["answers"] == [3]
    # Two equally large parts both count as the largest.
    assert came(most, {"none": [2, 2, 2], "batch": [0, 0, 0]})["answers"] == [1, 3]
    # A lead of one setting decides: both networks learn in 4 settings, only the network without BN
    # in 5, and only the network with BN in 3.
    found = came(most, {"none": [4, 4, 1], "batch": [1, 2, 4]})
    assert found["answers"] == [1]
    assert found["words"][1]["shares"] == pytest.approx([4 / 12, 5 / 12, 3 / 12, 0])


def test_it_is_open_until_the_map_is_drawn_and_another_map_is_not_judged(came):
    assert came({}, over=False) is None
    assert came({"kind": None}) is None
    for other in ({"networks": ["none", "layer", None]}, {"kind": "row", "row": 8}):
        assert came(other) == {"answers": None, "words": ["gone", {}]}
    most = {"kind": "most", "networks": [None, *PAIR, None]}
    assert came(most, {"batch": [1] * 3, "none": [1] * 3})["words"] == ["gone", {}]
    assert came({}, failed=True)["words"] == ["failed", {}]


@pytest.mark.parametrize(
    ("across", "up", "norms", "asked"),
    [
        ("learning_rate", "batch_size", PAIR, {
            "highest": "Which network learns at the highest learning rate?",
            "row": "At batch size 4, which network learns at the highest learning rate?",
            "most": "What covers most of the map?",
            "reach": "With BN: up to which learning rate does it learn?"}),
        ("depth", "learning_rate", PAIR, {
            "highest": "Which network learns at the highest learning rate?",
            "row": "At depth 20, which network learns at the highest learning rate?",
            "most": "What covers most of the map?",
            "reach": "With BN: up to which learning rate does it learn?"}),
        ("batch_size", "depth", ["none", "batch", "layer"], {
            "highest": "Which network learns with the most layers?",
            "row": "At batch size 4, which network learns with the most layers?",
            "reach": "With BN: with how many layers does it learn?"}),
        ("learning_rate", "init_std", ["batch"], {
            "reach": "Up to which learning rate does the network learn?"}),
    ],
)  # fmt: skip
def test_only_what_the_axes_allow_is_asked(blank, across, up, norms, asked):
    rungs = {"learning_rate": [0.01, 0.1, 1, 10, 100], "batch_size": SIZES,
             "depth": [2, 5, 10, 15, 20], "init_std": [0.01, 0.1, 1]}  # fmt: skip
    labels = {"none": "without BN", "batch": "with BN", "layer": "with layer norm"}
    given = {
        "plan": {"across": axis(across, rungs[across]), "up": axis(up, rungs[up])},
        "norms": [{"name": norm, "label": labels[norm]} for norm in norms], "words": map_words(),
    }  # fmt: skip
    script = """async ({ plan, norms, words }) => {
      const { MapModel } = await import('/assets/v1/map/model.js');
      const { questionsFor } = await import('/assets/v1/map/map_questions.js');
      const { lookUp, translator } = await import('/assets/v1/live/lib/texts.js');
      const t = translator(words), model = new MapModel({ ...plan, norms });
      const has = (key) => lookUp(words, key) !== undefined;
      return questionsFor({ data: { language: 'en' }, model, norms, t, has }, 'batch'); }"""
    questions = blank.evaluate(script, given)
    assert {question["id"]: question["text"] for question in questions} == asked
    for question in questions:
        assert 2 <= len(question["answers"]) <= 4
        assert all(len(answer) <= 48 for answer in question["answers"])
        assert len(question["networks"]) == len(question["answers"])
