"""Reports: a link that repeats the run (or a note that no link can repeat it), and the reader's
drawn guess.
"""

import itertools
import re
import xml.etree.ElementTree as Xml
from urllib.parse import parse_qsl, urlsplit

import pytest

from bnviz.config import RunConfig
from bnviz.live.contract import LONGEST_LINK
from bnviz.records import Change
from bnviz.ui.lab_query import read_lab_query

LAB = {"link": "/lab?depth=3&learning_rate=0.2"}
RATE = {"step": 3, "values": {"learning_rate": 1}}


def link_of(in_page, report, step, changes):
    found = in_page("dialogs/report", "m.linkAgain(a[0], a[1], a[2])", [report, step, changes])
    return found["link"], found["whole"]


def test_of_the_lab_it_carries_every_change_before_the_last_step(in_page):
    link, whole = link_of(in_page, LAB, 40, [
        {"step": 3, "values": {"learning_rate": 1e-05}, "drag": 1},
        {"step": 4, "values": {"learning_rate": 0.12345678901234567}, "drag": 1},
        {"step": 9, "values": {"momentum": 0.5, "batch_size": 16}},
        {"step": 9, "values": {"learning_rates": [0.1, 3]}},
        {"step": 12, "values": {"learning_rates": None}},
        {"step": 20, "values": {"scale_weights": [10, None]}},
        {"step": 21, "values": {"scale_weights": [0.5, 2]}},
        {"step": 40, "values": {"momentum": 0.9}},
    ])  # fmt: skip
    assert whole
    assert "changes=3:learning_rate=0.00001~4:0.1" in link, "a person can read it"
    read = read_lab_query(dict(parse_qsl(urlsplit(link).query)))
    assert (read.problems, read.config) == ([], RunConfig(depth=3, learning_rate=0.2))
    assert read.plan is not None
    assert read.plan.last_step == 40
    assert read.plan.changes == (
        Change(3, {"learning_rate": 1e-05}),
        Change(4, {"learning_rate": 0.12345678901234567}),
        Change(9, {"momentum": 0.5, "batch_size": 16, "learning_rates": (0.1, 3.0)}),
        Change(12, {"learning_rates": None}),
        Change(20, {"scale_weights": (10.0, None)}),
        Change(21, {"scale_weights": (0.5, 2)}),
    )


@pytest.mark.parametrize("changes", [
    [{"step": at, "values": {"momentum": at / 1000}} for at in range(1, 202)],
    [{"step": at, "values": {"momentum": at / 997}} for at in range(1, 101)],
])  # fmt: skip
def test_more_than_an_address_has_room_for_are_left_out_and_that_is_said(in_page, changes):
    link, whole = link_of(in_page, LAB, 300, changes)
    assert not whole
    assert link.endswith(LAB["link"])
    assert len(link) < LONGEST_LINK


@pytest.mark.parametrize(
    ("planned", "whole"),
    [([[3, {"learning_rate": 1.0}]], True), ([[3, {"learning_rate": 1.0}], [8, {}]], True),
     ([], False), ([[3, {"learning_rate": 2.0}]], False), ([[4, {"learning_rate": 1.0}]], False)],
)  # fmt: skip
def test_of_a_lesson_it_is_whole_where_only_the_plan_has_changed_anything(in_page, planned, whole):
    report = {"link": "/lessons?lesson=depth", "planned": planned}
    link, found = link_of(in_page, report, 8, [RATE])
    assert (found, link.endswith("/lessons?lesson=depth")) == (whole, True)


GUESS = {
    "last_step": 200, "highest": 100, "percent": True, "colour": "#0072B2", "marks": [[20, "<a>"]],
    "curves": [
        {"name": "", "drawn": [[0, 10], [200, 60]], "measured": [[0, 0], [100, 100], [200, 60]]}
    ],
}  # fmt: skip
WORDS = {"step": "step", "drawn": "{curve}drawn", "measured": "{curve}measured"}


def picture(module, **changed):
    """Return the lines in the picture of a drawn guess, as lists of points by colour and dash
    pattern, and the picture's texts.
    """
    svg = module("dialogs/drawn_guess", "m.drawnGuess(a[0], a[1])", [{**GUESS, **changed}, WORDS])
    found = Xml.fromstring(svg)
    axes = next(part for part in found if part.get("clip-path"))
    lines = {
        (each.get("stroke"), each.get("stroke-dasharray")): [
            tuple(map(float, point.split())) for point in re.split("[ML]", each.get("d"))[1:]
        ]
        for each in axes
        if each.tag.endswith("path")
    }
    texts = {each.text: float(each.get("y")) for each in found.iter() if each.tag.endswith("}text")}
    return lines, texts


def test_a_drawn_guess_stands_beside_what_was_measured_on_the_same_axes(module):
    lines, texts = picture(module)
    assert len(lines) == 2
    drawn, measured = lines["#1b1f24", "0.1 7"], lines["#0072B2", "none"]
    (left, low), (right, end) = drawn
    assert measured[0][0] == left
    assert measured[-1] == (right, end), "where both have the same value they meet"
    assert measured[1][0] == pytest.approx((left + right) / 2)
    bottom, top = measured[0][1], measured[1][1]
    assert low == pytest.approx(bottom - 0.1 * (bottom - top), abs=0.1)
    assert {"<a>", "drawn", "measured", "100\u00a0%", "step", "200"} <= texts.keys()
    assert abs(texts["drawn"] - texts["measured"]) >= 15, "their names do not overlap"


def test_a_guess_alone_and_several_curves_each_with_its_name(module):
    (curve,) = GUESS["curves"]
    lines, _ = picture(module, curves=[{**curve, "measured": []}])
    assert [*lines] == [("#1b1f24", "0.1 7")]
    two = [{**curve, "name": name} for name in ("stored", "anew")]
    lines, texts = picture(module, curves=two)
    assert len(lines) == 4, "each line has its own dashes"
    names = {f"{name}: {kind}" for name in ("stored", "anew") for kind in ("drawn", "measured")}
    assert names <= texts.keys()
    heights = sorted(texts[name] for name in names)
    assert min(after - before for before, after in itertools.pairwise(heights)) >= 15
