"""Links, files, messages and requests of the map, and positions on its planes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.widgets.conftest import ORIGIN
from tests.browser.widgets.map_by_hand import ask, plan, row


def act(page, name: str, **given: Any) -> Any:
    return ask(page, name, "map_acts", **{"data": plan(), **given})


CHOSEN = {"x": 0.1, "y": 16}


def test_the_script_is_told_how_much_of_the_chosen_cell_is_known_when_that_grows(blank):
    rows = [
        row(0, 1, 0), row(0, 2, 1), row(0, 1, 1), row(0, 1, 1), row(1, 0, 1), row(1, 1, 1),
        row(1, 3, 1),
    ]  # fmt: skip
    given = plan(chosen=CHOSEN)
    assert act(blank, "tells", data=given, rows=rows) == [["known", 1], ["known", 2]]
    assert act(blank, "tells", data=given, rows=rows, known=1) == [["known", 2]]
    assert act(blank, "tells", data=given, rows=rows, known=2) == []
    assert act(blank, "tells", rows=rows) == []
    # An address that names a position near a cell does not select the cell, on either axis.
    near = plan(chosen={"x": 0.11, "y": 16})
    assert act(blank, "tells", data=near, rows=rows) == []
    assert act(blank, "tells", data=plan(chosen={"x": 0.1, "y": 15}), rows=rows) == []


@pytest.mark.parametrize("present", [False, True])
def test_a_link_is_the_maps_own_and_says_for_itself_whether_type_is_large(blank, present):
    query = "steps=50&across=learning_rate,0.1,1,4&cell=0.1,16&colour=loss"
    own = f"{query}&present=1" if present else query
    plain, large = f"{ORIGIN}/map?{query}", f"{ORIGIN}/map?{query}&present=1"
    found = act(blank, "share", data=plan(present=present, base="/b"), query=own)
    links = [large, plain] if present else [plain, large]
    assert [each[0] for each in found] == [each[3] for each in found] == links
    assert [each[2] for each in found] == [present, not present]
    words = {link: said for link, said, *_ in found}
    assert "large type" in words[large]
    assert "large type" not in words[plain]


def test_a_map_in_a_frame_is_watched(blank):
    assert act(blank, "framed", data=plan(framed=True)) == [False, False, []]
    assert act(blank, "framed", data=plan()) == [True, True, [False]]


def test_files_are_of_this_map_and_called_after_it(blank):
    key = "0123456789abcdef" * 2
    given = plan(key=key, base="/b", command="python -m bnviz sweep --steps 9")
    assert act(blank, "exported", data=given) == [
        [[f"/b/maps/{key}.{kind}", f"bnviz-map-01234567.{kind}"] for kind in ("csv", "json")],
        "python -m bnviz sweep --steps 9",
    ]  # fmt: skip
    assert act(blank, "exported", data=plan(key="", command="")) == [[], None]


def answer(n: int, points: int, status: str = "running", phase: str = "first") -> dict[str, Any]:
    return {"n": n, "points": [0] * points, "status": status, "progress": {"phase": phase}}


def test_a_feed_asks_for_what_it_does_not_have(blank):
    answers = [answer(12, 12), answer(15, 3), answer(15, 0)]
    found = act(blank, "fed", answers=answers, wanted=True)
    assert found["asked"] == [f"?after={after}&wanted=1" for after in (0, 12, 15, 15)]
    assert found["heard"] == [12, 15, 15]
    assert found["problems"] == []


def test_a_feed_of_a_map_that_is_gone_begins_at_its_first_row_again(blank):
    answers = [answer(12, 12), {"http": 404}]
    found = act(blank, "fed", answers=answers, wanted=False)
    assert found["asked"] == [f"?after={after}&wanted=0" for after in (0, 12, 0)]
    assert (found["heard"], found["problems"]) == ([12], ["gone"])


def test_places_and_steps_of_a_map(blank):
    rows = [row(0, 1, 1), row(0, 2, 1, "stuck"), row(1, 1, 1), row(1, 2, 2), row(1, 0, 2)]
    at = {"i": 1, "j": 1}
    calls = [
        ["step", at, 1, 0], ["step", at, -1, 0], ["step", at, 0, 1], ["step", at, 0, -1],
        ["step", {"i": 3, "j": 2}, 1, 0], ["step", {"i": 3, "j": 2}, 0, 1],
        ["nearest", 0.11, 16], ["nearest", 0.4, 17], ["nearest", 5.0, 4],
    ]  # fmt: skip
    found = act(blank, "modelled", rows=rows, calls=calls)
    assert [(place["i"], place["j"]) for place in found] == [
        (2, 1), (0, 1), (1, 2), (1, 0), (3, 2), (3, 2), (1, 1), (2, 1), (3, 0),
    ]  # fmt: skip
    assert act(blank, "modelled", rows=rows, calls=[["nearest", 99.0, 4]]) == [None]
    (spans,) = act(blank, "modelled", rows=rows, calls=[["spans"]])
    assert [each["value"] for each in spans] == [4, 16, 64]
    assert [each["spans"] for each in spans] == [
        [None, None], [[0.1, 0.1], [0.1, 0.1]], [None, [0.01, 1]],
    ]  # fmt: skip


def test_a_value_between_two_rungs_is_written_as_exactly_as_the_map_needs(blank):
    rates = plan()["across"]
    sizes = {**plan()["up"], "rungs": [4, 16, 64]}
    depth = {**sizes, "knob": "depth", "rungs": [2, 6, 20], "logarithmic": False}
    found = act(
        blank, "along", axis=rates, places=[0, 0.5, 1, 2.5, -0.5, 3.5], values=[0.0316, 1.334]
    )
    assert found[0] == pytest.approx([0.01, 10**-1.5, 0.1, 10**0.5, 10**-2.5, 10**1.5])
    assert found[1] == ["0.0316", "1.33"]
    near = {**rates, "rungs": [0.2213, 0.2215, 0.2217]}
    assert act(blank, "along", axis=near, places=[], values=[0.221372])[1] == ["0.2214"]
    assert act(blank, "along", axis=sizes, places=[0.5, 1.5], values=[1234])[0] == [8, 32]
    assert act(blank, "along", axis=depth, places=[0.5, 1.5], values=[])[0] == [4, 13]
