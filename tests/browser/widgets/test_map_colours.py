"""Colours of cells agree with the legend, for every bound, region and network."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.widgets.map_by_hand import ask, plan, row


def painted(blank, colour: str, rows: list[list[Any]], network: int | None = 0, **more: Any):
    """Return for each row the legend line that has the row's colour, and the colour's index in that
    line.
    """
    given = {"data": plan(**more), "colour": colour, "rows": rows, "network": network}
    return [line for (line,) in ask(blank, "painted", **given)]


def along(network: int, *cells: tuple[str, dict[str, Any]]) -> list[list[Any]]:
    """Return rows of cells from the lower left, four cells per row of the grid."""
    return [
        row(network, place % 4, place // 4, kind, **values)
        for place, (kind, values) in enumerate(cells)
    ]


@pytest.mark.parametrize("network", [0, 1])
@pytest.mark.parametrize("dark", [False, True])
def test_an_accuracy_has_the_tone_that_the_legend_names(blank, network, dark):
    shares = (0.99, 0.931, 0.93, 0.81, 0.8, 0.5)
    cells = [("learned", {"accuracy": share}) for share in shares]
    cells += [("stuck", {"accuracy": 0.49}), ("broken", {"accuracy": 0.95})]
    better = "brighter" if dark else "darker"
    learned = f"learned: test accuracy over 93 %, 80 %, 50 %; {better} is better"
    # A line of the legend lists the tones of all networks in order.
    tones = [3 * network + place for place in (0, 0, 1, 1, 2, 2)]
    assert painted(blank, "accuracy", along(network, *cells), network, dark=dark) == [
        *(f"{learned} #{tone}" for tone in tones),
        "test accuracy under 50 %, or stuck at chance level #0", "broke #0",
    ]  # fmt: skip


def test_a_share_of_seeds_has_the_tone_that_the_legend_names(blank):
    cells = [("learned", {"share": share}) for share in (1, 0.99, 0.51, 0.5, 0.05)]
    cells += [("stuck", {"share": 0}), ("broken", {"share": 0}), ("broken", {"share": 0.2})]
    assert painted(blank, "share", along(0, *cells), seeds=20) == [
        "all seeds learned #0", "over half #0", "over half #0", "some #0", "some #0",
        "none: most seeds stuck, or test accuracy under 50 % #0", "none: most broke #0", "some #0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "bounds"), [(200, (10, 30, 80)), (1000, (50, 150, 400)), (20, (1, 3, 8))]
)
def test_a_break_is_told_by_the_bound_before_which_it_came(blank, steps, bounds):
    first, second, third = bounds
    at = (first, first + 1, second, second + 1, third, third + 1)
    cells = [("broken", {"step": step}) for step in at]
    cells += [("learned", {"step": None}), ("stuck", {"step": None})]
    assert painted(blank, "break_step", along(0, *cells), steps=steps) == [
        f"broke by step {first} #0", *[f"broke by step {second} #0"] * 2,
        *[f"broke by step {third} #0"] * 2, "broke later #0", "learned, never broke #0",
        "never broke, test accuracy under 50 % #0",
    ]  # fmt: skip


def test_a_loss_is_told_by_the_bound_under_which_it_lies(blank):
    losses = (0.1, 0.11, 0.3, 0.31, 1, 2.5, 2.51, None)
    cells = [("learned", {"loss": loss}) for loss in losses]
    assert painted(blank, "loss", along(0, *cells)) == [
        "up to 0.1 #0", "up to 0.3 #0", "up to 0.3 #0", "up to 1 #0", "up to 1 #0", "up to 2.5 #0",
        "over 2.5 #0", "no finite number #0",
    ]  # fmt: skip


def test_a_ratio_is_the_second_networks_accuracy_over_the_first_ones(blank):
    first = "better without BN: test accuracy more than 2×, 1.25× or 1.05× as high"
    second = "better with BN: test accuracy more than 1.05×, 1.25× or 2× as high"
    even = "test accuracies differ by at most 5 %"
    pairs = [
        (0.5, 0.24, f"{first} #0"), (0.5, 0.26, f"{first} #1"), (0.5, 0.41, f"{first} #2"),
        (0.5, 0.49, f"{even} #0"), (0.5, 0.51, f"{even} #0"), (0.5, 0.54, f"{second} #0"),
        (0.5, 0.64, f"{second} #1"), (0.4, 0.81, f"{second} #2"), (None, 0.9, f"{second} #2"),
        (0.9, None, f"{first} #0"),
    ]  # fmt: skip
    for some in (pairs[:5], pairs[5:]):
        rows = [
            line
            for number in (0, 1)
            for line in along(number, *(("learned", {"accuracy": pair[number]}) for pair in some))
        ]
        assert painted(blank, "ratio", rows, None) == [pair[2] for pair in some]
    # If only one network learned, the cell names it. If neither network learned, there is no ratio.
    one = [row(0, 0, 0, "stuck", accuracy=0.2), row(1, 0, 0, accuracy=0.9)]
    neither = [row(0, 1, 0, "stuck", accuracy=0.2), row(1, 1, 0, "broken", accuracy=0.4)]
    assert painted(blank, "ratio", [*one, *neither], None) == [
        f"{second} #2", "neither learns #0",
    ]  # fmt: skip


# Who learns.


def regions(blank, norms: tuple[str, ...], **learned: list[str]) -> dict[str, Any]:
    """Return the name and colour of a cell for each combination of the networks' results."""
    rows = [
        row(network, place % 4, place // 4, kind)
        for place, kinds in enumerate(learned.values())
        for network, kind in enumerate(kinds)
    ]
    points = [[place % 4, place // 4] for place in range(len(learned))]
    found = ask(blank, "regions", data=plan(*norms), rows=rows, points=points)
    return dict(zip(learned, found, strict=True))


def test_a_region_is_called_and_painted_by_who_learned_there(blank):
    found = regions(
        blank, ("none", "batch"), both=["learned", "learned"], first=["learned", "broken"],
        second=["stuck", "learned"], broke=["stuck", "broken"], slow=["stuck", "stuck"],
    )  # fmt: skip
    assert {name: said for name, (said, *_) in found.items()} == {
        "both": "both learn", "first": "only without BN", "second": "only with BN",
        "broke": "neither", "slow": "too slow or stuck",
    }  # fmt: skip
    paints = {name: paint for name, (_, paint, _) in found.items()}
    assert paints["both"] == {"fill": "#FFFFFF"}
    assert paints["broke"] == {"fill": "#2b2f36"}
    assert paints["slow"] == {"hatch": "#d5dadf", "on": "#FFFFFF"}
    assert {name: tones for name, (*_, tones) in found.items()} == {
        "both": ["full", "full"], "first": ["full", "pale"], "second": ["pale", "full"],
        "broke": ["dark", "dark"], "slow": ["pale", "pale"],
    }  # fmt: skip
    # Each network's own colour, mixed with the background: the first is orange, the second blue.
    red, blue = (int(paints[name]["fill"][1:], 16) for name in ("first", "second"))
    assert red >> 16 > red & 0xFF
    assert blue >> 16 < blue & 0xFF


def test_three_networks_have_a_name_for_each_set_of_them(blank):
    yes, no = "learned", "broken"
    found = regions(
        blank, ("none", "batch", "layer"), all=[yes] * 3, but=[no, yes, yes], no_bn=[yes, no, yes],
        no_layer=[yes, yes, no], plain=[yes, no, no], bn=[no, yes, no], nobody=[no] * 3,
        slow=["stuck"] * 3,
    )  # fmt: skip
    assert {name: said for name, (said, *_) in found.items()} == {
        "all": "all learn", "but": "all but the one without BN", "no_bn": "not with BN",
        "no_layer": "not with layer norm", "plain": "only without BN", "bn": "only with BN",
        "nobody": "none learns", "slow": "too slow or stuck",
    }  # fmt: skip
    assert [len(found[name][1].get("stripes", [])) for name in ("but", "no_bn", "all")] == [2, 2, 0]
    alone = regions(blank, ("batch",), learns=[yes], fails=[no], slow=["stuck"])
    assert [said for said, *_ in alone.values()] == [
        "learns", "does not learn", "too slow or stuck",
    ]  # fmt: skip
    assert "fill" in alone["learns"][1]


def test_a_cell_is_of_no_region_until_every_network_was_run_there(blank):
    assert regions(blank, ("none", "batch"), half=["learned"]) == {"half": None}


@pytest.mark.parametrize(
    ("norms", "seeds", "ways"),
    [
        (("none", "batch"), 1, ["outcome", "accuracy", "break_step", "loss", "ratio"]),
        (("none", "batch", "layer"), 2, ["outcome", "share", "accuracy", "break_step", "loss"]),
        (("batch",), 1, ["outcome", "accuracy", "break_step", "loss"]),
    ],
)  # fmt: skip
def test_ways_of_colouring(blank, norms, seeds, ways):
    assert ask(blank, "ways", data=plan(*norms, seeds=seeds)) == ways
