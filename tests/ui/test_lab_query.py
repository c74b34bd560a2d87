"""The lab's address: reading returns what was written. Wrong parts are reported and dropped."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnviz.config import KNOBS, RunConfig
from bnviz.networks import NETWORKS
from bnviz.planned_runs.plan import MOST_STEPS
from bnviz.presets import PRESETS
from bnviz.records import Change
from bnviz.ui.lab_query import LabQuery, known_charts, read_lab_query
from bnviz.ui.query_schema import CHANGE, LAB_SCHEMA, Query
from tests.every_case import every_case
from tests.ui.handed_over import answers, view

pytestmark = pytest.mark.usefixtures("one_chart")


@every_case("preset", PRESETS)
def test_a_preset_alone_gives_its_config(preset):
    page = read_lab_query({"preset": preset})
    assert page.config == PRESETS[preset].config()
    assert page.problems == []


@every_case("preset", PRESETS)
def test_every_address_a_page_writes_is_read_back(preset):
    page = LabQuery(
        RunConfig(), run="0" * 32, preset=preset, present=True, paused=True,
        hide=("depth", "more_norms"), charts=("percentiles", "drift"),
    )  # fmt: skip
    for config in (
        RunConfig(), RunConfig(depth=3, norms=("batch",), norm_affine=False),
        *(RunConfig(network=network) for network in NETWORKS),
        RunConfig(network="conv", depth=6, width=32, ablation_layers=(2, 3)),
    ):  # fmt: skip
        again = read_lab_query(page.to_query(config, page.run))
        assert again.problems == []
        assert again.config == config
        assert (again.run, again.preset, again.present, again.paused) == (
            page.run, page.preset, True, True,
        )  # fmt: skip
        assert (again.hide, again.charts) == (page.hide, page.charts)


@every_case("momentum", [0.0, 0.5, 0.9])
@every_case("optimizer", ["sgd", "adam"])
def test_a_momentum_is_written_where_it_is_not_the_optimizers_own(optimizer, momentum):
    config = RunConfig(optimizer=optimizer, momentum=momentum)
    page = read_lab_query({})
    query = page.to_query(config, None)
    assert read_lab_query(query).config == config
    assert ("momentum" in query) == (momentum != RunConfig(optimizer=optimizer).momentum)


@every_case(
    ("query", "key", "words"),
    [
        ({"width": "-3"}, "config", "`width` must be a whole number between 2 and 512, got '-3'."),
        ({"run": "xyz"}, "run", "'xyz'"),
        ({"run": "A" * 32}, "run", "AAA"),
        ({"at": "-1"}, "at", "'-1'"),
        ({"at": "9" * 30}, "at", "999"),
        ({"present": "yes"}, "flag", "'yes'"),
        ({"hide": "depth,moon"}, "hide", "'moon'"),
        ({"preset": "nope"}, "preset", "'nope'"),
        ({"nope": "1"}, "unknown", "nope"),
        ({"charts": "drift,moon"}, "charts", "'moon'"),
        ({"charts": "loss"}, "charts", "'loss'"),
        ({"changes": "5:depth=3"}, "changes", "'5:depth=3'"),
        ({"changes": "5:0.1"}, "changes", "'5:0.1'"),
        ({"changes": "5:momentum=1.2.3"}, "config", "1.2.3"),
        ({"changes": "100000:momentum=0.5"}, "changes", "100000"),
        ({"changes": "5:momentum=9"}, "config", "`momentum`"),
        ({"changes": "5:scale_weights=2@9"}, "config", "`scale_weights`"),
        ({"changes": "5:scale_weights=2~5:3"}, "config", "`changes.1.values`"),
        ({"steps": "0"}, "steps", "'0'"),
    ],
)
def test_a_wrong_value_is_answered_by_a_sentence(query, key, words):
    page = read_lab_query({**query, "depth": "3"})
    assert page.problems[0][0] == key
    assert words in " ".join(page.problems[0][1].values())
    assert page.config == RunConfig(depth=3)


@every_case(
    ("query", "used"),
    [
        ("learning_rate=0,1&depth=3", "Used instead: 0.1."),
        ("depth=3&depth=5", "2 times in this link. The last value, '5', is used."),
        ("learning_rates=x", "This value is ignored."),
        ("rate_factors=10,1", "output layer, got 10,1. Used instead: 1,1,1."),
        ("hide=edge,doors", "Used instead: edge."),
        ("charts=doors", "Used instead: none."),
        ("present=yes", "This value is ignored."),
        ("preset=none", "Used instead: raise-the-rate."),
        ("width=512&depth=50", "The knobs have the preset’s values instead."),
        ("changes=5:momentum=9", "This value is ignored."),
        ("run=x", "A new run was started."),
        ("doors=3", "This page does not know `doors` and ignores it."),
        ("learningrate=3", "Did you mean `learning_rate`?"),
        ("hide=transports", "Allowed: transport, …. This value is ignored."),
    ],
)
def test_what_is_used_instead_of_a_wrong_value_is_said(query, used):
    page = read_lab_query(Query(parse_qsl(query)))
    (sentence,) = page.told()
    assert sentence.endswith(used)
    assert sentence.count(used) == 1


def test_all_that_is_wrong_with_a_link_stands_on_the_page(open_lab):
    page = open_lab(norms="none,zero", depth="99", hide="doors", learning_rate="0,1")
    told = answers(page)
    assert len(told) == 4
    for part in ("`norms`", "'zero'", "`depth`", "'99'", "`hide`", "'doors'", "0.1, got '0,1'"):
        assert part in " ".join(told)
    assert view(page)["notices"] == []


def test_a_step_to_look_at_is_read_once_and_not_written_again():
    page = read_lab_query({"run": "0" * 32, "at": "40"})
    assert (page.at, page.problems) == (40, [])
    assert "at" not in page.to_query(page.config, page.run)


def test_a_run_is_made_again_with_its_changes_and_waits_at_its_last_step(open_lab, live):
    """Only a report's address contains changes. The page's own address names the started run."""
    text = "46:learning_rate=0.5~47:1.5~47:momentum=0.9~60:learning_rates=0.1,1~80:none"
    asked = {"depth": "3", "changes": f"{text}~90:scale_weights=2@3", "steps": "120"}
    page = read_lab_query(asked)
    assert page.problems == []
    assert page.changes == (
        Change(step=46, values={"learning_rate": 0.5}),
        Change(step=47, values={"learning_rate": 1.5, "momentum": 0.9}),
        Change(step=60, values={"learning_rates": (0.1, 1.0)}),
        Change(step=80, values={"learning_rates": None}),
        Change(step=90, values={"scale_weights": (2.0, 3)}),
    )
    assert page.again == {name: asked[name] for name in ("changes", "steps")}
    lab = open_lab(**asked).session_state["lab"]
    begun = live.hub.info(lab.run_id)
    assert (begun.initial_config, begun.plan) == (RunConfig(depth=3), page.plan)
    assert (begun.plan.changes, begun.plan.last_step) == (page.changes, 120)
    assert not {"changes", "steps"} & lab.to_query().keys()
    lab.set_knobs(depth=4)
    assert live.hub.info(lab.run_id).plan is None, "a run with another knob has no plan"


def test_changes_alone_are_followed_for_a_while_and_a_late_one_is_left_out():
    assert read_lab_query({"changes": "99999:momentum=0.5"}).steps == MOST_STEPS
    assert read_lab_query({"changes": "9:momentum=0.5"}).plan.last_step > 9
    assert read_lab_query({"changes": "9:momentum=0.5", "steps": "9"}).plan.changes == ()


def test_an_address_wins_over_what_its_preset_brings():
    page = read_lab_query({"preset": "large-initial-weights", "init": "he"})
    assert page.problems == []
    assert (page.config.init, page.config.init_std) == ("he", None)


def test_charts_of_a_preset_need_no_word_of_their_own():
    preset = "e4-weights-grow"
    page = read_lab_query({"preset": preset})
    assert page.charts == PRESETS[preset].charts == ("weights",)
    assert "charts" not in page.to_query(page.config, None)
    page.charts = ()
    assert page.to_query(page.config, None)["charts"] == "none"
    assert read_lab_query({"preset": preset, "charts": "none"}).charts == ()


def test_charts_are_added_once_each_in_the_order_given():
    assert read_lab_query({"charts": "weights, drift,,weights"}).charts == ("weights", "drift")
    assert known_charts(["drift", "moon", None, 3, "drift", "loss", ["drift"]]) == ("drift",)


def test_knobs_that_are_too_large_together_fall_back_together():
    page = read_lab_query({"depth": "50", "width": "512", "batch_size": "1024"})
    assert "depth × width²" in page.problems[0][1]["message"]
    assert page.config == RunConfig()


@given(
    st.dictionaries(
        st.sampled_from([*KNOBS, *LAB_SCHEMA, "x"]) | st.text(),
        st.text(max_size=200)
        | st.sampled_from(["nan", "inf", "1e999", "-0", "", "none", "[]"])
        | st.from_regex(CHANGE, fullmatch=True),
        max_size=8,
    )
)
def test_no_address_stops_the_page(query):
    page = read_lab_query(query)
    assert read_lab_query(page.to_query(page.config, page.run)).problems == []
    assert len(page.problems) <= 30


def test_paused_opens_at_step_0_and_asks_before_it_plays(open_lab, live):
    data = view(open_lab(paused="1", preset="broken-from-the-start"))
    run = live.hub.info(data["run"])
    assert (run.status, run.step) == ("paused", 0)
    assert data["paused_question"] is True
    assert view(open_lab())["paused_question"] is False


def test_hide_takes_parts_away_and_stays_in_the_address(unfolded, open_unfolded):
    page = open_unfolded(hide="activation,share,preset")
    assert view(page)["hide"] == ["activation", "share", "preset"]
    assert view(page)["address"]["hide"] == "activation,share,preset"
    keys = {control.key for control in page.button_group}
    assert {control.key for control in unfolded.button_group} - keys == {"knob_activation"}
    assert len(unfolded.selectbox) - len(page.selectbox) == 1
