"""The page of the claims as rendered by the server."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from bnviz.claims.amounts import expected, median_and_range
from bnviz.claims.judgement import StatementJudgement, StatementOutcome
from bnviz.claims.results import gather, with_again
from bnviz.claims.statement import (
    Statement,
    StatementKind,
    Unit,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.claims.table import outcome_word
from bnviz.config import RunConfig
from bnviz.ui.claims.claim_in_lab import claim_card, step_to_see
from bnviz.ui.claims.measured import measured, setting_of
from bnviz.ui.claims.page import page
from bnviz.ui.claims.picture import EDGE, WIDTH, axis_of, in_words, picture
from bnviz.ui.claims.surprises import SURPRISES
from bnviz.ui.html import joined, prose, tag
from bnviz.ui.sitemap import lab_address
from tests.claims.made_up import words_of
from tests.every_case import every_case
from tests.ui.reading_html import Page

SEEDS = (0, 1, 2)


def statement(key, expected, kind=StatementKind.PAPER, **more):
    return Statement(key=key, expected=expected, kind=kind, unit=Unit.TIMES, **more)


def judged(stated, *values, seeds=SEEDS, compared=()):
    return StatementJudgement("E6", stated, seeds, values, compared)


GROWS = statement(
    "grows", between(1.1, 1.3), watch=in_lab({"depth": 20, "activation": "relu"}, "growth", 40)
)
SHRINKS = statement("shrinks", at_most(0.5), StatementKind.CALCULATION)
WIDENS = statement("widens", at_least(2), StatementKind.EARLIER)
TRAINS = statement("trains", at_least(0.1), comparator="plain", watch=in_lab({}))
STANDS = statement("stands", at_most(1), StatementKind.FOUND, instead_of="shrinks")
KEYS = ("grows", "shrinks", "widens", "trains", "stands")
WORDS = {
    "label": "Growth", "help": "What grows.", "source": "Yang et al. 2019",
    **{
        key: {
            "text": f"Of {key}.", "setting": "tanh <3×100>", "quantity": "factor",
            "source": "Yang et al. 2019",
        }
        for key in KEYS
    },
}  # fmt: skip
WORDS["grows"] |= {"lead": "It *grows*."}
WORDS["shrinks"] |= {"lead": "It shrinks.", "not_in_lab": "No & never."}
WORDS["widens"] |= {"lead": "It widens.", "changed": "was `≥ 3`"}
WORDS["trains"] |= {"comparator": "the plain network"}
WORDS["stands"] |= {"lead": "It stands."}


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """Results with one declared statement per outcome, and one found statement."""
    declared = [
        judged(GROWS, 1.19, 1.2, 1.25),
        judged(SHRINKS, 0.9, 0.8, 0.7),
        judged(WIDENS, 1.5, 2.5, math.inf),
        judged(TRAINS, 0.5, 0.5, 0.5, compared=(0.1, 0.1, 0.1)),
    ]
    found = judged(STANDS, 0.9, math.nan, 0.8, seeds=(5, 6, 7))
    again = [judged(GROWS, 1.2, 1.2, 1.4, seeds=(20, 21, 22)),
             judged(SHRINKS, 0.8, 0.8, 0.8, seeds=(20, 21, 22))]  # fmt: skip
    with words_of("E6", WORDS, tmp_path_factory.mktemp("made_up") / "texts"):
        given = gather({"E6": [*declared, found]}, "2.13.0+cpu", range(3))
        yield with_again(given, {"E6": again})


@pytest.fixture(scope="module")
def made_page(made_up):
    return Page(page(made_up))


def row_of(results, key):
    (row,) = [row for row in results.rows if row.key == key]
    return row


def test_above_all_stand_five_that_surprise_with_a_dot_for_each_seed():
    published = measured()
    drawn = Page(page(published))
    (section,) = drawn.all("claims-surprises")
    items = drawn.within(section, "li")
    assert len(items) == len(SURPRISES) == 5
    rows = {row.name: row for row in published.rows}
    for name, item in zip(SURPRISES, items, strict=True):
        row = rows[name]
        assert not row.found, "judged against what was declared"
        (sentence,) = drawn.within(item, "h3")
        assert sentence["text"].count(".") == 1
        for part in (row.text, outcome_word(row.outcome), median_and_range(row), expected(row)):
            assert part in item["text"]
        assert f"#{row.place}" in [link["href"] for link in drawn.within(item, "a")]
        (plot,) = drawn.within(item, "claims-plot")
        assert plot["role"] == "img"
        assert in_words(row) in plot["aria-label"]
        for kind, values in (("claims-seed", row.values), ("claims-fresh", row.again.values)):
            dots = [place_of(dot) for dot in drawn.within(plot, kind)]
            assert len(dots) == len(values) == 5
            by_value = [dot for _, dot in sorted(zip(values, dots, strict=True))]
            assert by_value == sorted(dots)
        (band,) = drawn.within(plot, "claims-band")
        left, right = map(float, re.findall(r"[\d.]+", band["style"]))
        inside = [left <= place_of(dot) <= 100 - right for dot in drawn.within(plot, "claims-seed")]
        assert sum(inside) == row.met
    order = [name for each in drawn.elements for name in each["classes"]]
    assert order.index("claims-surprises") < order.index("claims-leads")


def test_without_those_rows_nothing_stands_there(made_page):
    assert made_page.all("claims-surprises") == []


def place_of(element):
    return float(re.search(r"left: ([\d.]+)%", element["style"])[1])


def test_it_leads_with_what_a_reader_can_rely_on(made_page):
    columns = made_page.all("claims-column")
    assert [made_page.within(column, "h3")[0]["text"] for column in columns] == [
        "Holdssome of 1", "Does not hold on networks like thesesome of 1",
        "Not decidedsome of 1",
    ]  # fmt: skip
    leads = [[item["text"] for item in made_page.within(column, "li")] for column in columns]
    assert leads == [
        ["It grows.E6.1 1.20× (1.19 to 1.25), not decided on fresh seeds"],
        ["It shrinks.E6.2 0.800× (0.700 to 0.900)"],
        [
            "It widens.E6.3 2.50× (1.50 to ∞)",
            "It stands.E6.a 0.850× (0.800 to 0.900); no number in 1, found here",
        ],
    ]
    targets = {link["href"] for link in made_page.within(made_page.all("claims-leads")[0], "a")}
    assert targets == {"#E6.1", "#E6.2", "#E6.3", "#E6.a"}
    order = [name for each in made_page.elements for name in each["classes"]]
    assert order.index("claims-leads") < order.index("claims-search") < order.index("claims-list")


def test_a_list_that_is_longer_than_the_others_together_takes_more_room(made_up, made_page):
    assert made_page.all("claims-long") == []
    (claim,) = made_up.claims
    held = [row.model_copy(update={"outcome": StatementOutcome.HOLDS}) for row in claim.rows]
    all_held = claim.model_copy(update={"rows": tuple(held)})
    longer = Page(page(made_up.model_copy(update={"claims": (all_held,)})))
    (long,) = longer.all("claims-long")
    assert longer.within(long, "h3")[0]["text"].startswith("Holds")


def test_it_counts_declared_statements_by_where_they_come_from(made_page):
    (table,) = made_page.all("claims-counts")
    rows = [[cell["text"] for cell in made_page.within(row, "td")] for row in
            made_page.within(table, "tr")]  # fmt: skip
    assert rows == [
        [], ["1", "0", "0", "1", "2"], ["0", "1", "0", "0", "1"], ["0", "0", "1", "0", "1"],
        ["1", "1", "1", "1", "4"],
    ]  # fmt: skip


def test_it_says_what_fresh_seeds_changed(made_page):
    (said,) = made_page.all("claims-again")
    assert (
        "1 of 2 statements made beforehand have another outcome (holds → not decided: E6.1)"
        in (said["text"])
    )
    assert "0 of the 1 statements that hold are identities" in said["text"]
    facts = made_page.row("E6.1")["text"]
    assert "Fresh seedsnot decided, 1.20× (1.20 to 1.40)" in facts


def test_declared_and_found_here_stand_apart(made_page):
    groups = made_page.all("claims-group")
    assert [made_page.within(group, "h3")[0]["text"] for group in groups] == [
        "Stated beforehand by a paper, a calculation or an earlier run; seeds 0 to 2",
        "Found here stated after we had seen a result, and judged on other seeds: 5 to 7",
    ]
    places = [[row["id"] for row in made_page.within(group, "claims-row")] for group in groups]
    assert places == [["E6.1", "E6.2", "E6.3", "E6.4"], ["E6.a"]]
    links = [link["href"] for link in made_page.within(made_page.row("E6.a"), "a")]
    assert links == ["#E6.a", "#E6.2"]


def test_a_row_has_its_numbers_in_words(made_page):
    text = made_page.row("E6.3")["text"]
    for part in ("Of widens.", "factor", "tanh <3×100>", "2.50× (1.50 to ∞)", "≥ 2×",
                 "2 of 3 seeds", "−0.500×", "earlier run", "was ≥ 3", "not decided"):  # fmt: skip
        assert part in text
    said = made_page.row("E6.4")["text"]
    assert "no evidence: the plain network is at chance level (10.0 %)" in said


def test_a_row_is_watched_in_the_lab_or_says_why_it_cannot(made_page):
    assert "No & never." in made_page.row("E6.2")["text"]
    (link,) = made_page.within(made_page.row("E6.1"), "claims-watch")
    assert link["href"] == "/lab?claim=E6.grows&depth=20&activation=relu&charts=growth"
    assert link["aria-label"] == "Watch E6.1 in the lab"
    assert "at step 40" in made_page.row("E6.1")["text"]


def test_every_row_carries_what_filters_ask_for_and_each_choice_is_offered(made_page):
    rows = made_page.all("claims-row")
    for field in ("outcome", "source", "experiment"):
        (group,) = [each for each in made_page.all("claims-chips") if each["data-field"] == field]
        offered = [each["data-value"] for each in made_page.within(group, "button")]
        assert set(offered) == {row[f"data-{field}"] for row in rows}
        assert all(each["aria-pressed"] == "false" for each in made_page.within(group, "button"))
    assert {row["data-outcome"] for row in rows} == {
        "holds", "does-not-hold", "not-decided", "no-evidence",
    }  # fmt: skip


def test_headings_go_down_one_by_one(made_page):
    levels = [
        int(each["tag"][1]) for each in made_page.elements if re.fullmatch(r"h\d", each["tag"])
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_text_is_escaped_and_marks_are_understood():
    assert tag("p", "a < b & c", title='"x"') == '<p title="&quot;x&quot;">a &lt; b &amp; c</p>'
    assert tag("p", tag("b", "x"), None, hidden=True, id=None, data_a_b=1) == (
        '<p hidden data-a-b="1"><b>x</b></p>'
    )
    assert prose("`a<b`, **b**, *c*, 2 * 3 * 4") == (
        "<code>a&lt;b</code>, <strong>b</strong>, <em>c</em>, 2 * 3 * 4"
    )
    assert joined("<", tag("i", "<")) == "&lt;<i>&lt;</i>"


def test_an_axis_goes_by_factors_where_values_span_decades():
    axis = axis_of([1e-16, 1e-12])
    assert axis.log
    assert axis.at(1e-14) == pytest.approx(WIDTH / 2)
    assert not axis.holds(0)
    assert axis.at(0) == EDGE
    for numbers in ([1.1, 1.3], [-1, 1000], [0, 1e-12]):
        axis = axis_of(numbers)
        assert not axis.log
        assert axis.at(sum(numbers) / 2) == pytest.approx(WIDTH / 2)
        assert all(axis.holds(number) for number in numbers)


@every_case("numbers", [[], [0], [3, 3], [math.inf, math.nan]])
def test_there_is_an_axis_whatever_was_measured(numbers):
    axis = axis_of(numbers)
    assert axis.low < axis.high
    assert axis.at(math.inf) == WIDTH - EDGE


def test_the_picture_has_a_dot_a_seed_an_arrow_beyond_the_end_and_the_same_in_words(made_up):
    widens = Page(picture(row_of(made_up, "widens")))
    assert [each["tag"] for each in widens.all("seed")] == ["circle", "circle", "path"]
    grows = row_of(made_up, "grows")
    drawn = Page(picture(grows))
    assert len(drawn.all("seed")) == len(drawn.all("fresh")) == 3
    assert [each["text"] for each in drawn.all("value")] == ["1.1×", "1.3×"]
    (band,) = drawn.all("band")
    inside = [float(band["x"]) <= float(dot["cx"]) <= float(band["x"]) + float(band["width"])
              for dot in drawn.all("seed")]  # fmt: skip
    assert inside == [True] * 3
    assert (
        drawn.elements[0]["aria-label"]
        == in_words(grows)
        == (
            "3 seeds gave 1.19, 1.20, 1.25×; median 1.20×. Expected 1.1 to 1.3×. "
            "Fresh seeds gave 1.20, 1.20, 1.40×."
        )
    )
    stands = Page(picture(row_of(made_up, "stands")))
    assert len(stands.all("seed")) == 2
    assert "none" in in_words(row_of(made_up, "stands"))


def test_the_lab_shows_the_sentence_with_its_numbers_and_the_way_back(made_up):
    row = row_of(made_up, "grows")
    said = Page(claim_card(row, setting_of(row)))
    text = said.elements[0]["text"]
    assert "Of grows." in text
    assert "factor: 1.20× (1.19 to 1.25), expected 1.1 to 1.3×. Look at step 40." in text
    assert [link["href"] for link in said.all("a")][-1] == "/claims#E6.1"
    assert "hidden" in said.all("claims-moved")[0]
    seed = claim_card(row, setting_of(row).replace(seed=7))
    assert Page(seed).elements[0]["text"] == text
    moved = Page(claim_card(row, RunConfig(depth=3)))
    assert "hidden" not in moved.all("claims-moved")[0]
    assert moved.all("a")[0]["href"] == lab_address({"claim": "E6.grows", **row.query})


def test_the_step_of_a_claim_is_marked_while_the_run_is_of_its_setting(made_up):
    row = row_of(made_up, "grows")
    assert step_to_see(row, setting_of(row))["step"] == 40
    assert step_to_see(row, RunConfig(depth=3)) is None
    never = row.model_copy(update={"watch": replace(row.watch, step=None)})
    assert step_to_see(never, setting_of(row)) is None
