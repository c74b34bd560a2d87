"""Every page, run as Streamlit runs it, against a real hub."""

import gzip
import json

import pytest

from bnviz.config import KNOBS
from bnviz.live.templates_route import find
from bnviz.presets import PRESETS
from bnviz.ui.commands import keep_charts
from bnviz.ui.places import ABOUT
from bnviz.ui.query import HIDEABLE
from tests.live.conftest import until


@pytest.fixture
def lab(open_lab):
    return open_lab


def healthy(page):
    assert not page.exception, [problem.message for problem in page.exception]
    return page


def view(page):
    """What the live view was given, with the charts that it names."""
    (component,) = page.get("bidi_component")
    data = json.loads(component.proto.json)
    groups = json.loads(gzip.decompress(find(data["charts_id"])))
    assert not {"charts", "more"} & set(data)
    return {**data, "charts": groups["main"], "more": groups["more"]}


def state(page):
    return page.session_state["lab"]


def test_the_lab_opens_on_the_opening_preset_with_a_run_of_its_own(lab, live):
    page = lab()
    data = view(page)
    assert data["norms"] == ["none", "batch"]
    assert [chart["name"] for chart in data["charts"]] == ["loss", "accuracy", "layers"]
    assert live.hub.info(data["run"]).config.learning_rate == 0.1
    assert view(lab())["run"] != data["run"]


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_opens(lab, live, preset):
    data = view(lab(preset=preset))
    assert live.hub.info(data["run"]).initial_config == PRESETS[preset].config()
    assert data["notices"] == []
    assert data["opened"] == list(PRESETS[preset].charts)
    assert set(data["opened"]) <= {chart["name"] for chart in data["more"]}
    assert "charts" not in data["address"]
    plane = {"boundary"} & {chart["name"] for chart in data["more"]}
    assert bool(plane) == data["plane"]


def test_the_second_page_opens(lab):
    page = lab()
    healthy(page.switch_page(str(ABOUT)).run())
    assert any("What broke first" in text.value for text in page.markdown)


def test_a_live_knob_changes_the_run(lab, live):
    page = lab()
    run = view(page)["run"]
    page.select_slider(key="knob_learning_rate").set_value(1.0)
    healthy(page.run())
    assert view(page)["run"] == run
    assert live.hub.info(run).config.learning_rate == 1.0
    assert view(page)["address"]["learning_rate"] == "1.0"


def test_a_knob_moved_elsewhere_is_not_moved_back_by_what_a_browser_still_shows(lab, live):
    page = lab()
    run = view(page)["run"]
    shown = page._tree.get_widget_states()  # what the browser holds before it hears the answer
    for rate in (0.3, 1.0):
        state(page).set_knobs(learning_rate=rate)  # as the live view's own slider does
        until(lambda: live.hub.info(run).config.learning_rate == rate)  # noqa: B023
        page = healthy(page._run(shown))
        page = healthy(page._run(shown))
    assert view(page)["learning_rate"] == 1.0
    assert live.hub.info(run).config.learning_rate == 1.0


def test_a_structural_knob_starts_over_with_the_same_seed(lab, live):
    page = lab(seed="5")
    run = view(page)["run"]
    page.select_slider(key="knob_depth").set_value(3)
    healthy(page.run())
    data = view(page)
    assert data["run"] != run
    assert live.hub.info(data["run"]).config.depth == 3
    assert live.hub.info(data["run"]).config.seed == 5


def test_a_rate_that_is_no_rung_is_shown_as_it_is(lab):
    page = lab(learning_rate="0.05")
    assert page.select_slider(key="knob_learning_rate").value == 0.05


def test_own_rates_and_back(lab, live):
    page = lab()
    page.toggle(key="own_rates").set_value(True)
    healthy(page.run())
    page.select_slider(key="rate_batch").set_value(1.0)
    healthy(page.run())
    run = view(page)["run"]
    assert live.hub.info(run).config.rates() == {"none": 0.1, "batch": 1.0}
    page.toggle(key="own_rates").set_value(False)
    healthy(page.run())
    assert live.hub.info(run).config.learning_rates is None


def test_choosing_no_network_is_refused_in_words(lab):
    page = lab()
    run = view(page)["run"]
    state(page).set_knobs(norms=())
    assert "norms" in state(page).notices[0][1]["message"]
    assert state(page).run == run


def test_init_and_its_spread_move_together(lab):
    page = lab(init="normal", init_std="0.3")
    state(page).set_knobs(init="he")
    assert state(page).config.init_std is None


def test_a_heading_in_the_list_of_presets_opens_nothing(lab):
    page = lab()
    box = page.selectbox(key="preset")
    headings = [option for option in box.options if option.startswith("—")]
    assert headings == ["— from the literature —"]
    run = view(page)["run"]
    box.set_value("literature")
    page = healthy(page.run())
    assert view(page)["run"] == run
    assert page.selectbox[0].value == "raise-the-rate"


def test_charts_of_a_preset_go_with_it_and_those_of_the_visitor_stay(lab):
    page = lab(preset="e4-weights-grow")
    assert view(page)["opened"] == ["weights"]
    keep_charts(state(page), ["weights", "drift"])
    state(page).open_preset("e7-rank-collapse")
    data = view(healthy(page.run()))
    assert (data["opened"], data["opened_turn"]) == (["rank", "drift"], 1)
    keep_charts(state(page), [])
    assert view(healthy(page.run()))["address"]["charts"] == "none"
    assert view(lab(preset="e4-weights-grow", charts="none"))["opened"] == []


def test_charts_of_the_address_are_open_and_stay_so(lab):
    page = lab(charts="drift,moon,weights")
    data = view(page)
    assert data["opened"] == ["drift", "weights"]
    assert "'moon'" in data["notices"][0][1]["value"]
    assert data["address"]["charts"] == data["query"]["charts"] == "drift,weights"
    state(page).open_preset("spirals")
    assert view(healthy(page.run()))["opened"] == ["drift", "weights"]
    keep_charts(state(page), ["rank", {"no": "chart"}])
    assert view(healthy(page.run()))["address"]["charts"] == "rank"
    keep_charts(state(page), None)
    assert "charts" not in view(healthy(page.run()))["address"]


def test_every_chart_says_what_it_shows_and_where_it_lies(lab):
    data = view(lab(dataset="moons"))
    shelves = data["texts"]["gallery"]
    for chart in data["more"]:
        assert chart["help"].endswith(".")
        assert chart["shelf"] in shelves
    assert set(data["often"]) <= {chart["name"] for chart in data["more"]}


def widgets(page):
    kinds = (page.select_slider, page.toggle, page.number_input, page.button_group,
             page.checkbox, page.multiselect, page.selectbox)  # fmt: skip
    return {element.key for kind in kinds for element in kind}


def test_hide_takes_all_controls_away(lab):
    page = lab(hide=",".join((*KNOBS, *HIDEABLE)))
    assert widgets(page) == set()
    assert view(page)["notices"] == []


@pytest.mark.parametrize("name", ["depth", "batch_size", "norm_affine", "seed", "activation"])
def test_hide_takes_any_knob_away_and_no_other(lab, name):
    assert widgets(lab()) - widgets(lab(hide=name)) == {f"knob_{name}"}


def test_wrong_values_are_answered_and_written_out_of_the_address(lab):
    page = lab(width="-3", depth="3")
    assert "`width`" in view(page)["notices"][0][1]["message"]
    address = view(page)["address"]
    assert "width" not in address
    assert address["depth"] == "3"


def test_the_command_starts_from_the_initial_knobs(lab, live):
    page = lab(depth="3")
    run = view(page)["run"]
    page.select_slider(key="knob_learning_rate").set_value(1.0)
    healthy(page.run())
    until(lambda: live.hub.info(run).changes)
    data = view(healthy(page.run()))
    assert data["command"] == "python -m bnviz train --set depth=3"
    assert data["initial"]["learning_rate"] == 0.1
    assert data["config"]["learning_rate"] == 1.0


def test_a_preset_that_was_changed_no_longer_makes_its_claim(lab):
    page = lab()
    claim = page.caption[0].value
    page.select_slider(key="knob_learning_rate").set_value(1.0)
    assert healthy(page.run()).caption[0].value == claim
    page.select_slider(key="knob_learning_rate").set_value(10.0)
    assert healthy(page.run()).caption[0].value != claim


def test_moving_a_knob_starts_one_run_only(lab, live):
    page = lab()
    before = live.hub.info(view(page)["run"])
    healthy(page.run())
    healthy(page.run())
    assert view(page)["run"] == before.id


def test_the_largest_networks_get_their_charts_too(lab):
    data = view(lab(depth="50", width="512", norms="none", batch_size="1"))
    assert data["notices"] == []
    assert data["config"]["depth"] == 50
