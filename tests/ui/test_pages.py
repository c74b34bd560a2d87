"""Every page, run as Streamlit runs it, with a real hub."""

import pytest

from bnviz.actions import ACTIONS
from bnviz.config import KNOBS
from bnviz.ui.chart_templates import build_charts, prepare_charts
from bnviz.ui.commands import keep_charts, run_command
from bnviz.ui.knobs import LADDERS
from bnviz.ui.query_schema import HIDEABLE
from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import text, texts
from tests.live.conftest import until
from tests.ui.handed_over import answers, healthy, knobs, state, view

one_chart = pytest.mark.usefixtures("one_chart")


@pytest.fixture
def lab(open_lab, one_chart):
    return open_lab


def test_the_lab_opens_on_the_opening_preset_with_a_run_of_its_own(open_lab, live, unfolded):
    page = open_lab()
    data = view(page)
    assert data["norms"] == ["none", "batch"]
    assert [chart["name"] for chart in data["charts"]] == ["loss", "accuracy", "layers"]
    assert live.hub.info(data["run"]).config.learning_rate == 0.1
    assert view(unfolded)["run"] != data["run"]


def test_the_knobs_come_when_the_live_view_stands_or_cannot(first_look):
    page = first_look()
    assert view(page)["page_waits"] is True
    assert widgets(page) == set()
    assert any("Live lab" in text.value for text in page.sidebar.markdown)
    state(page).view_drawn = True
    healthy(page.run())
    assert view(page)["page_waits"] is False
    assert "knob_depth" in widgets(page)
    assert "learning_rate" in knobs(page)


def test_the_charts_that_the_page_opens_with_are_made_before_anybody_comes(first_look):
    build_charts.cache_clear()
    prepare_charts()
    made = build_charts.cache_info().misses
    first_look()
    assert build_charts.cache_info().misses == made


def test_the_second_page_opens(lab):
    page = lab()
    healthy(page.switch_page(str(PAGES["about"].script)).run())
    assert any("What broke first" in text.value for text in page.markdown)


def move(live, page, **values):
    """Set live knobs as a browser's socket does, without running the page's script."""
    live.hub.set_knobs(state(page).owner, view(page)["run"], **values)


def test_the_page_says_what_the_run_has_whoever_moved_its_knobs(lab, live):
    page = lab()
    run = view(page)["run"]
    move(live, page, learning_rate=1.0, momentum=0.9)
    data = view(healthy(page.run()))
    assert data["run"] == run
    assert data["knobs"]["values"]["learning_rate"] == 1.0
    assert data["address"]["learning_rate"] == data["query"]["learning_rate"] == "1"
    assert data["address"]["momentum"] == "0.9"


@pytest.mark.parametrize("act", ["knob", "new_seed", "fork"])
def test_what_starts_over_has_the_live_knobs_of_the_run_and_not_of_the_page(lab, live, act):
    page = lab()
    run = view(page)["run"]
    move(live, page, learning_rate=0.3, batch_size=32)
    if act == "knob":
        page.select_slider(key="knob_depth").set_value(3)
    else:
        run_command(state(page), {"name": act, "step": 0})
    data = view(healthy(page.run()))
    assert data["run"] != run
    config = live.hub.info(data["run"]).config
    assert (config.learning_rate, config.batch_size) == (0.3, 32)


def test_a_run_that_ended_starts_anew_with_the_knobs_of_the_address(lab, live):
    page = lab(depth="3")
    state(page).run_id = "0" * 32
    # the browser writes this into the address after a drag
    page.query_params["learning_rate"] = "0.3"
    data = view(healthy(page.run()))
    assert data["notices"][0] == text("lab.notice.expired")
    config = live.hub.info(data["run"]).config
    assert (config.depth, config.learning_rate) == (3, 0.3)


def test_a_knob_moved_elsewhere_is_not_moved_back_by_what_a_browser_still_shows(lab, live):
    page = lab()
    # the browser's state before it receives the response to `lab`
    shown = page._tree.get_widget_states()
    for depth in (3, 4):
        state(page).set_knobs(depth=depth)
        page = healthy(page._run(shown))
        page = healthy(page._run(shown))
    assert view(page)["config"]["depth"] == 4
    assert live.hub.info(view(page)["run"]).config.depth == 4


def test_a_structural_knob_starts_over_with_the_same_seed(lab, live):
    page = lab(seed="5")
    run = view(page)["run"]
    page.select_slider(key="knob_depth").set_value(3)
    healthy(page.run())
    data = view(page)
    assert data["run"] != run
    assert live.hub.info(data["run"]).config.depth == 3
    assert live.hub.info(data["run"]).config.seed == 5


@one_chart
def test_live_knobs_come_with_their_ladders_their_words_and_the_presets_values(open_unfolded):
    page = open_unfolded(preset="broken-from-the-start", learning_rate="0.05")
    specs = knobs(page)
    for action in ACTIONS:
        assert specs.pop(action)["label"]
    factors = specs.pop("rate_factors")
    assert (factors["rungs"][0], factors["rungs"][-1]) == (0, 1000)
    assert factors["home"] == [1.0, 1.0, 1.0]
    assert len({part["help"] for part in factors["parts"]}) == 3, "each says what it multiplies"
    assert factors["allowed"] == "a number between 0 and 1000"
    statistics = specs.pop("norm_statistics")
    assert [value for value, _ in statistics["choices"]] == ["batch", "running"]
    assert (statistics["home"], statistics["note"]) == ("batch", "acts at once")
    assert set(specs) == {"learning_rate", "batch_size", "momentum", "weight_decay"}
    for name, spec in specs.items():
        assert spec["rungs"] == list(LADDERS[name])
        assert (spec["label"], spec["allowed"]) == (KNOBS[name].label, KNOBS[name].allowed)
    rate = specs["learning_rate"]
    assert (rate["home"], rate["try"], rate["edge"]) == (1.0, 0.1, True)
    data = view(page)["knobs"]
    assert data["values"]["learning_rate"] == 0.05
    assert data["unsaid"]["learning_rate"] == 1.0
    assert not knobs(open_unfolded(optimizer="adam"))["learning_rate"]["edge"]


@one_chart
def test_choosing_no_network_is_refused_in_words(first_look):
    page = first_look()
    run = view(page)["run"]
    state(page).set_knobs(norms=())
    assert "norms" in state(page).notices[0].text()
    assert state(page).run_id == run


@one_chart
def test_the_lowest_rung_of_the_averages_momentum_is_none(open_lab):
    page = open_lab(norm_momentum="none")
    (slider,) = [each for each in page.select_slider if "knob_norm_momentum" in (each.key or "")]
    assert (slider.value, slider.options[0]) == (0.0, texts("knobs")["norm_momentum"]["unset_rung"])
    slider.set_value(0.3)
    page = page.run()
    assert state(page).config.norm_momentum == 0.3
    (slider,) = [each for each in page.select_slider if "knob_norm_momentum" in (each.key or "")]
    slider.set_value(0.0)
    assert state(page.run()).config.norm_momentum is None


@one_chart
def test_init_and_its_spread_move_together(first_look):
    page = first_look(init="normal", init_std="0.3")
    state(page).set_knobs(init="he")
    assert state(page).config.init_std is None


def test_charts_of_the_address_are_open_and_stay_so(lab):
    page = lab(charts="drift,moon,weights")
    data = view(page)
    assert data["opened"] == ["drift", "weights"]
    assert "'moon'" in answers(page)[0]
    assert data["address"]["charts"] == data["query"]["charts"] == "drift,weights"
    state(page).open_preset("broken-from-the-start")
    assert view(healthy(page.run()))["opened"] == ["drift", "weights"]
    keep_charts(state(page), ["rank", {"no": "chart"}])
    assert view(healthy(page.run()))["address"]["charts"] == "rank"
    keep_charts(state(page), None)
    assert "charts" not in view(healthy(page.run()))["address"]


def test_every_chart_says_what_it_shows_and_where_it_lies(first_look):
    data = view(first_look(dataset="moons"))
    shelves = data["texts"]["gallery"]
    for chart in data["more"]:
        assert chart["help"].endswith(".")
        assert chart["shelf"] in shelves
    assert set(data["frequent_charts"]) <= {chart["name"] for chart in data["more"]}


def widgets(page):
    kinds = (page.select_slider, page.toggle, page.number_input, page.button_group,
             page.checkbox, page.multiselect, page.selectbox)  # fmt: skip
    return {element.key for kind in kinds for element in kind}


@one_chart
def test_hide_takes_all_controls_away(open_unfolded):
    page = open_unfolded(hide=",".join((*KNOBS, *HIDEABLE)))
    assert widgets(page) == set()
    assert knobs(page) == {}
    assert view(page)["notices"] == []


@one_chart
@pytest.mark.parametrize(
    ("name", "live_knob"),
    [("depth", "learning_rate"), ("norm_affine", "batch_size"), ("seed", "weight_decay")],
)
def test_hide_takes_any_knob_away_and_no_other(open_unfolded, unfolded, name, live_knob):
    page = open_unfolded(hide=f"{name},{live_knob}")
    assert widgets(unfolded) - widgets(page) == {f"knob_{name}"}
    assert knobs(unfolded).keys() - knobs(page).keys() == {live_knob}


@one_chart
def test_wrong_values_are_answered_and_written_out_of_the_address(first_look):
    page = first_look(width="-3", depth="3")
    assert "`width`" in answers(page)[0]
    address = view(page)["address"]
    assert "width" not in address
    assert address["depth"] == "3"


def test_the_command_starts_from_the_initial_knobs(lab, live):
    page = lab(depth="3")
    run = view(page)["run"]
    move(live, page, learning_rate=1.0)
    until(lambda: live.hub.info(run).changes)
    data = view(healthy(page.run()))
    assert data["command"] == "python -m bnviz train --set depth=3"
    assert data["initial"]["learning_rate"] == 0.1
    assert data["config"]["learning_rate"] == 1.0


def test_moving_a_knob_starts_one_run_only(lab, live):
    page = lab()
    before = live.hub.info(view(page)["run"])
    healthy(page.run())
    healthy(page.run())
    assert view(page)["run"] == before.id


def test_the_largest_networks_get_their_charts_too(first_look):
    data = view(first_look(depth="50", width="512", norms="none", batch_size="1"))
    assert data["notices"] == []
    assert data["config"]["depth"] == 50
