"""Where on a plane the map draws: its edge of stability, the lab's setting, cells, numbers."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from tests.browser.widgets.map_by_hand import ask, plan, row
from tests.browser.widgets.map_page import RATES, SIZES

EDGES = {"none": 0.5}
EDGE = "edge of stability at step 0, without BN"


def planes(blank, *norms: str, rows: Any = (), **more: Any) -> dict[str, dict[str, Any]]:
    """Every plane by its name, with what is drawn on it."""
    own = ("colour", "answer", "width", "over", "before")
    view = {name: more.pop(name) for name in own if name in more}
    found = ask(blank, "planes", data=plan(*norms, **more), rows=list(rows), **view)
    return {plane["name"]: plane for plane in found}


def across(plane: dict[str, Any], value: float) -> float:
    """px of a rate on a plane whose four columns are decades apart."""
    return plane["width"] * (math.log10(value / RATES[0]) + 0.5) / len(RATES)


def up(plane: dict[str, Any], value: float) -> float:
    return plane["height"] * (1 - (math.log(value / SIZES[0], 4) + 0.5) / len(SIZES))


def uprights(plane: dict[str, Any]) -> list[tuple[float, str, str]]:
    """Marks from top to bottom: where, and in which colour and dashes; halves of white left out."""
    found = []
    for mark in plane["marks"]:
        (x,) = re.findall(r"^M([\d.]+) 0V", mark["d"]) or [None]
        if x is not None and mark["dash"]:
            found.append((float(x), mark["stroke"], mark["dash"]))
    return found


@pytest.mark.parametrize("edge", [0.5, 0.02, 12.0])
def test_the_edge_is_drawn_at_its_rate_on_the_plane_it_is_measured_for(blank, edge):
    found = planes(blank, answer={"edges": {"none": edge}}, cross=None)
    orange = plan()["norms"][0]["colour"]
    for name in ("survivors", "none"):
        ((x, stroke, dash),) = uprights(found[name])
        assert x == pytest.approx(across(found[name], edge), abs=0.06)
        assert (stroke, dash) == (orange, "1.5 3.5")
    assert uprights(found["batch"]) == []
    # In words only where there is room for them.
    ((said, at, ink),) = found["survivors"]["said"]
    assert (said, ink) == (EDGE, plan()["norms"][0]["ink"])
    assert 0 < at < found["survivors"]["width"]
    assert found["none"]["said"] == []


def test_words_of_an_edge_near_the_side_stay_on_the_plane(blank):
    found = planes(blank, answer={"edges": {"none": 0.005}}, cross=None)["survivors"]
    ((_, low, _),) = found["said"]
    ((x, *_),) = uprights(found)
    assert x < low < found["width"] / 2
    found = planes(blank, answer={"edges": EDGES}, cross=None)["survivors"]
    ((_, middle, _),) = found["said"]
    assert middle == pytest.approx(across(found, 0.5), abs=0.06)


@pytest.mark.parametrize(
    ("answer", "more"),
    [
        ({"edges": {}}, {}), (None, {}), ({"edges": {"layer": 0.5}}, {}),
        ({"edges": {"none": 99.0}}, {}), ({"edges": {"none": 0.0001}}, {}),
        ({"edges": EDGES}, {"across": {**plan()["across"], "knob": "init_std"}}),
    ],
)  # fmt: skip
def test_no_edge_is_drawn_that_is_not_known_not_of_this_axis_or_not_on_the_plane(
    blank, answer, more
):
    for plane in planes(blank, answer=answer, cross=None, **more).values():
        assert plane["marks"] == []
        assert plane["said"] == []


def test_the_edge_has_words_on_its_networks_own_large_plane(blank):
    found = planes(blank, answer={"edges": EDGES}, cross=None, colour="loss")
    assert [said for said, *_ in found["none"]["said"]] == [EDGE]
    assert found["batch"]["marks"] == found["batch"]["said"] == []
    ratio = planes(blank, answer={"edges": EDGES}, cross=None, colour="ratio")["ratio"]
    assert [said for said, *_ in ratio["said"]] == [EDGE]


def test_the_labs_setting_is_crossed_by_two_lines(blank):
    for plane in planes(blank, cross={"x": 0.3, "y": 32}).values():
        ((x, ink, dash),) = uprights(plane)
        assert x == pytest.approx(across(plane, 0.3), abs=0.06)
        assert (ink, dash) == ("#1B1F24", "none")
        level = [re.findall(r"^M0 ([\d.]+)H", mark["d"]) for mark in plane["marks"]]
        (y,) = {float(found[0]) for found in level if found}
        assert y == pytest.approx(up(plane, 32), abs=0.06)
    beyond = planes(blank, cross={"x": 99, "y": 32})["survivors"]
    assert uprights(beyond) == []
    assert len(beyond["marks"]) == 2


def test_planes_are_called_by_their_network_and_what_is_measured(blank):
    keys = ". Arrow keys move over the cells"
    found = planes(blank)
    assert {name: plane["title"] for name, plane in found.items()} == {
        "survivors": "", "none": "Without BN: accuracy", "batch": "With BN: accuracy",
    }  # fmt: skip
    assert found["survivors"]["label"].startswith(f"Who survives{keys}")
    assert found["batch"]["label"].startswith(f"with BN: accuracy{keys}")
    found = planes(blank, colour="loss")
    assert found["none"]["title"] == "Without BN: loss on the test set"
    found = planes(blank, colour="ratio")
    assert found["ratio"]["title"] == "Test accuracy with BN ÷ without BN"


def learning(network: int, *rates: int) -> list[list[Any]]:
    """A network that learns at so many rates from the left, by row, and breaks beyond."""
    return [
        row(network, 8 * i, 8 * j, "learned" if i < reach else "broken")
        for j, reach in enumerate(rates)
        for i in range(len(RATES))
    ]


def test_on_a_networks_plane_the_others_borders_are_drawn_in_their_colours(blank):
    rows = [*learning(0, 1, 1, 1), *learning(1, 3, 3, 3)]
    found, (orange, blue) = planes(blank, rows=rows), [each["colour"] for each in plan()["norms"]]
    for name, colour, dash, column in (("none", blue, "none", 3), ("batch", orange, "7 4", 1)):
        under, drawn = found[name]["lines"]
        assert (drawn["stroke"], drawn["dash"]) == (colour, dash)
        assert under["d"] == drawn["d"]
        (at,) = {float(x) for x in re.findall(r"[ML]([\d.]+) ", drawn["d"])}
        assert at == pytest.approx(found[name]["width"] * column / 4, abs=0.06)
    assert found["survivors"]["lines"] == []


def test_a_speck_is_no_border_of_its_own(blank):
    rows = [*learning(0, 4, 4, 4), *learning(1, 4, 4, 4)]
    speck = [row(0, 12, 12, "broken"), row(0, 10, 4, "broken")]
    assert planes(blank, rows=[*rows, *speck])["batch"]["lines"] == []
    whole = [each if each[:3] != [0, 8, 8] else row(0, 8, 8, "broken") for each in rows]
    assert len(planes(blank, rows=whole)["batch"]["lines"]) == 2


def test_what_broke_is_crossed_and_what_was_not_run_is_outlined(blank):
    rows = [row(0, 0, 0), row(0, 8, 0, "broken"), row(0, 16, 8, "broken"), row(0, 24, 16, "stuck")]
    plane = planes(blank, rows=rows, cross=None, width=1200)["none"]
    (crosses,) = plane["crosses"]
    ends = re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", crosses["d"])
    middles = {
        ((float(a) + float(c)) / 2, (float(b) + float(d)) / 2) for a, b, c, d in ends
    }  # fmt: skip
    wanted = [(RATES[1], SIZES[0]), (RATES[2], SIZES[1])]
    assert len(middles) == len(wanted)
    for rate, size in wanted:
        at = across(plane, rate), up(plane, size)
        assert any(math.dist(at, middle) < 0.2 for middle in middles)
    (waiting,) = plane["waiting"]
    assert waiting["d"].count("M") == 12 - len(rows)


def test_a_finer_point_is_painted_over_its_own_part_of_a_cell(blank):
    rows = [row(0, 8, 8), row(0, 12, 8, "stuck")]
    plane = planes(blank, rows=rows)["none"]
    (hatched,) = [d for kind, d in plane["kinds"] if kind == 1]
    corners = re.findall(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)", hatched)
    left = min(float(x) for x, *_ in corners)
    right = max(float(x) for _, _, x, _ in corners)
    # Half a step wide around its own place: of eight columns of a half the fourth from the left.
    assert left == pytest.approx(plane["width"] * 14 / 32, abs=0.06)
    assert right == pytest.approx(plane["width"] * 18 / 32, abs=0.06)


def test_passes_over_the_data_stand_under_their_own_batch_size(blank):
    numbers = planes(blank, width=1200)["survivors"]["numbers"]
    pairs = [numbers[place : place + 2] for place in (0, 2, 4)]
    assert pairs == [["4", "0.6×"], ["16", "2.2×"], ["64", "8.9×"]]
    assert numbers[6:-2] == ["0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30"]
    assert numbers[-2:] == ["learning rate", "batch size (passes over the data)"]
    small = planes(blank, width=1200)["none"]["numbers"]
    assert not [text for text in small if "×" in text or "rate" in text]


def test_what_is_chosen_and_a_rectangle_are_outlined_where_they_are(blank):
    over = {"here": {"i": 12, "j": 8}, "chosen": {"i": 8, "j": 16}, "zoom": None}
    plane = planes(blank, over=over, width=1200)["survivors"]
    width, height = plane["width"], plane["height"]
    wide, high = width / 4, height / 3
    _, chosen, _, here = plane["over"]
    assert chosen == pytest.approx([wide, 0, wide, high, 3], abs=0.1)
    # A point between two is half as wide and high.
    middle = width * 16 / 32
    assert here == pytest.approx(
        [middle - wide / 4, height / 2 - high / 4, wide / 2, high / 2, 1.5], abs=0.1
    )
    zoom = {"left": -4, "right": 12, "low": 4, "high": 20}
    over = {"here": None, "chosen": None, "zoom": zoom}
    for box in planes(blank, over=over, width=1200)["survivors"]["over"]:
        assert box[:4] == pytest.approx([0, 0, width / 2, 2 * high], abs=0.1)


# The largest values, by row.

VALUES = [
    {"y": 4, "none": 0.1, "batch": 10}, {"y": 16, "none": None, "batch": 1},
    {"y": 64, "none": 0.01, "batch": 0.1},
]  # fmt: skip


def test_each_largest_value_has_its_dot_in_its_row_and_column(blank):
    found = ask(blank, "largest", data=plan(), values=VALUES)
    assert found["title"] == "Largest learning rate that learns, by batch size"
    numbers = {text: (x, y) for text, x, y, _ in found["numbers"]}
    columns = {rate: numbers[f"{rate:g}"][0] for rate in RATES}
    assert {*columns.values()} <= {*found["lines"]}
    orange, blue = (each["colour"] for each in plan()["norms"])
    wanted = {
        (orange, 0.1, "4"), (orange, 0.01, "64"), (blue, 10, "4"), (blue, 1, "16"),
        (blue, 0.1, "64"),
    }  # fmt: skip
    assert len(found["dots"]) == len(wanted)
    for colour, rate, size in wanted:
        at = columns[rate], numbers[size][1] - 4
        assert [dot["at"] for dot in found["dots"]
                if dot["colour"] == colour and math.dist(dot["at"], at) < 0.2]  # fmt: skip
    # The largest batch stands on top, as on the planes.
    assert numbers["64"][1] < numbers["16"][1] < numbers["4"][1]
    assert [dot["end"] for dot in found["dots"] if dot["end"]] == ["batch"]
    assert found["key"] == [
        "without BN", "with BN", "→ learns up to the map’s last value, and maybe beyond it",
    ]  # fmt: skip
    assert len({dot["shape"] for dot in found["dots"]}) == 2


def test_only_the_part_of_the_axis_that_has_values_is_drawn(blank):
    values = [{**each, "batch": 1} for each in VALUES]
    found = ask(blank, "largest", data=plan(), values=values)
    assert found["key"] == ["without BN", "with BN"]
    assert "10" not in [text for text, *_ in found["numbers"]]
    assert [dot["end"] for dot in found["dots"]] == [None] * 5
    nothing = [{"y": size, "none": None, "batch": None} for size in SIZES]
    assert ask(blank, "largest", data=plan(), values=nothing)["dots"] == []
    assert ask(blank, "largest", data=plan(), values=[])["hidden"] is True
    assert ask(blank, "largest", data=plan(present=True), values=VALUES)["hidden"] is True
