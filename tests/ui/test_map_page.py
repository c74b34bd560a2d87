"""Data that the map page sends to the browser: axes, breadcrumbs, selected cell, command line."""

from __future__ import annotations

import pytest

from bnviz.sweeps.setting import BASE, LADDERS, USUAL, MapSetting, Span
from bnviz.ui.map.page import command_line, steps_knob
from bnviz.ui.map.query import MapQuery, read_map_query
from bnviz.ui.sitemap import PAGES
from tests.every_case import every_case
from tests.ui.handed_over import components

RATES, SIZES = Span("learning_rate", 0.1, 0.4, 3), Span("batch_size", 8, 32, 3)
SMALL = USUAL.replace(across=RATES, up=SIZES, steps=90)


def handed(page) -> dict:
    """Return the data sent to the map's component."""
    (data,) = [data for data in components(page) if "across" in data]
    return data


@pytest.fixture(scope="module")
def opened(open_page):
    """Map whose cells see equal data, with several seeds, two zooms and a selected cell. Tests must
    not change it.
    """
    query = SMALL.replace(seeds=3, equal="data").to_query()
    zooms = "learning_rate~batch_size~learning_rate,0.05,0.8,5~batch_size,4,64,5"
    return open_page(PAGES["map"].script, **query, zooms=zooms, cell="0.2,16", colour="share")


def test_the_browser_is_told_the_axes_with_their_own_rungs(opened):
    data = handed(opened)
    across, up = data["across"], data["up"]
    assert (across["knob"], across["rungs"], up["knob"], up["rungs"]) == (
        "learning_rate", [0.1, 0.2, 0.4], "batch_size", [8, 16, 32],
    )  # fmt: skip
    assert (across["logarithmic"], across["whole"], up["whole"]) == (True, False, True)
    # Each network sees the examples of 90 mini-batches of 32, whatever its batch size.
    assert (data["steps"], data["seeds"], data["equal"], data["colour"]) == (90, 3, "data", "share")
    assert (data["dataset"], data["ends"]) == ("digits", False)
    assert [norm["label"] for norm in data["norms"]] == ["without BN", "with BN"]


def test_crumbs_name_what_was_zoomed_into_in_order(opened):
    assert [crumb["label"] for crumb in handed(opened)["crumbs"]] == [
        "whole plane", "0.05–0.8 × 4–64", "0.1–0.4 × 8–32",
    ]  # fmt: skip


def test_the_chosen_cell_is_told_with_how_much_of_it_is_known(opened):
    assert handed(opened)["chosen"] == {"x": 0.2, "y": 16, "known": 0}
    assert handed(opened)["cross"] is None


def test_small_batches_lead_to_what_the_claims_measured_of_them(opened, open_page):
    claim = handed(opened)["claim"]
    assert claim["href"].endswith("/claims?row=E14.e")
    assert "−" in claim["text"], "BN ends below"
    other = SMALL.replace(up=Span("depth", 1, 3, 3), seeds=1)
    assert handed(open_page(PAGES["map"].script, **other.to_query()))["claim"] is None


def test_an_axis_has_the_rungs_of_its_address(open_page):
    data = handed(open_page(PAGES["map"].script, steps="90", up="batch_size,8,512,4"))
    assert data["up"]["rungs"] == [8, 32, 128, 512]
    assert (data["crumbs"], data["chosen"]) == ([], None)


def test_the_card_of_several_seeds_says_whose_run_it_is(opened):
    said = " ".join(part.value for part in opened.caption)
    assert f"This run has seed {SMALL.config.seed}, the first of this cell." in said


def test_the_command_measures_the_same_cells():
    assert command_line(SMALL) == (
        "python -m bnviz sweep --learning-rates 0.1,0.2,0.4 --batch-sizes 8,16,32 --steps 90"
        " --set width=64 --set device=cpu"
    )
    several = SMALL.replace(seeds=4, config=SMALL.config.replace(depth=3))
    assert "--steps 90 --seeds 4" in command_line(several)
    assert "--set depth=3" in command_line(several)
    turned = SMALL.replace(across=SIZES, up=RATES)
    assert command_line(turned) == command_line(SMALL)
    for other in (SMALL.replace(equal="data"), SMALL.replace(up=LADDERS["depth"])):
        assert command_line(other) == ""


def test_the_knob_of_a_hall_has_the_steps_that_a_map_may_have():
    knob = steps_knob()
    assert (knob["least"], knob["most"], knob["home"], knob["page"]) == (1, 2000, 200, 2)
    assert knob["rungs"] == [20, 50, 100, 200, 300, 500, 1000, 2000]
    assert knob["allowed"]["values"] == {"low": 1, "high": 2000}


@every_case(
    ("visit", "query"),
    [
        (MapQuery(cell=(0.123456789, 34)), {"cell": "0.123456789,34"}),
        (MapQuery(colour="loss", present=True), {"colour": "loss", "present": "1"}),
        (MapQuery(setting=USUAL.replace(seeds=7)), {"seeds": "7"}),
        (MapQuery(setting=USUAL.replace(equal="data", steps=80)), {"equal": "data", "steps": "80"}),
        (MapQuery(setting=USUAL.replace(across=RATES, up=SIZES)),
         {"across": "learning_rate,0.1,0.4,3", "up": "batch_size,8,32,3"}),
        (MapQuery(setting=MapSetting(BASE, LADDERS["init_std"], LADDERS["depth"])),
         {"across": "init_std", "up": "depth"}),
        (MapQuery(setting=USUAL.replace(config=USUAL.config.replace(seed=4, norms=("batch",)))),
         {"seed": "4", "norms": "batch"}),
        (MapQuery(zooms=((RATES, SIZES), (LADDERS["learning_rate"], LADDERS["batch_size"]))),
         {"zooms": "learning_rate,0.1,0.4,3~batch_size,8,32,3~learning_rate~batch_size"}),
    ],
)  # fmt: skip
def test_each_part_of_a_maps_link_is_written_and_read(visit: MapQuery, query: dict[str, str]):
    assert visit.to_query() == query
    assert read_map_query(query) == visit


@every_case("part", ["across", "up", "steps", "seeds", "equal", "config", "swap"])
def test_maps_that_differ_in_anything_have_different_keys(part: str):
    changes = {
        "across": {"across": RATES}, "up": {"up": SIZES}, "steps": {"steps": 201},
        "seeds": {"seeds": 2}, "equal": {"equal": "data"},
        "config": {"config": USUAL.config.replace(seed=1)},
        "swap": {"across": USUAL.up, "up": USUAL.across},
    }  # fmt: skip
    other: MapSetting = USUAL.replace(**changes[part])
    assert other.key != USUAL.key
    assert USUAL.replace().key == USUAL.key
