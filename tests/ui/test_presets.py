"""Presets: opening them in the lab, their names, and related content."""

import pytest

from bnviz.charts import CHARTS
from bnviz.data import DATASETS
from bnviz.lessons import LESSONS
from bnviz.presets import LESSON_OF, PRESETS
from bnviz.ui.commands import keep_charts
from bnviz.words.texts import texts
from tests.ui.handed_over import healthy, state, view

one_chart = pytest.mark.usefixtures("one_chart")
# One preset per network and kind of data. `tests/test_presets.py` checks the run and the effect of
# every preset.
ONE_OF_A_KIND = {
    (p.config().network, DATASETS[p.config().dataset].plane): name for name, p in PRESETS.items()
}.values()


def test_every_presets_charts_are_offered_with_its_run():
    for preset in PRESETS.values():
        config = preset.config()
        for name in preset.charts:
            assert CHARTS[name].group == "more"
            assert CHARTS[name].fits(config), (name, config)


@pytest.mark.parametrize(
    "preset",
    [pytest.param(p, marks=() if p in ONE_OF_A_KIND else pytest.mark.verify) for p in PRESETS],
)
def test_every_preset_opens(first_look, live, preset):
    data = view(first_look(preset=preset))
    assert live.hub.info(data["run"]).initial_config == PRESETS[preset].config()
    assert data["notices"] == []
    assert data["opened"] == list(PRESETS[preset].charts)
    assert set(data["opened"]) <= {chart["name"] for chart in data["more"]}
    assert "charts" not in data["address"]
    plane = {"boundary"} & {chart["name"] for chart in data["more"]}
    assert bool(plane) == DATASETS[PRESETS[preset].config().dataset].plane


@one_chart
def test_presets_of_the_literature_are_named_by_what_is_seen_and_by_their_number(open_lab):
    page = open_lab(preset="e6-gradients-grow")
    box = page.selectbox(key="preset")
    assert "Gradients grow with depth · E6" in box.options
    assert "Raise the rate" in box.options
    assert LESSON_OF.keys() == PRESETS.keys()
    assert set(LESSON_OF.values()) <= set(LESSONS)
    links = [text.value for text in page.get("html") if "bnviz-lesson" in text.value[:30]]
    assert "/lessons?lesson=depth" in " ".join(links)
    numbers = [words.get("number") for words in texts("presets").values()]
    assert sum(number is not None for number in numbers) == sum(
        preset.group == "literature" for preset in PRESETS.values()
    )


@one_chart
def test_a_heading_in_the_list_of_presets_opens_nothing(open_lab):
    page = open_lab()
    box = page.selectbox(key="preset")
    assert box.placeholder == "Raise the rate"
    headings = [option for option in box.options if option.startswith("—")]
    assert headings == ["— from the literature —"]
    run = view(page)["run"]
    box.set_value("literature")
    page = healthy(page.run())
    assert view(page)["run"] == run
    assert page.selectbox[0].label == "Preset: Raise the rate"


@one_chart
def test_charts_of_a_preset_go_with_it_and_those_of_the_visitor_stay(open_lab, first_look):
    page = open_lab(preset="e4-weights-grow")
    assert view(page)["opened"] == ["weights"]
    keep_charts(state(page), ["weights", "drift"])
    state(page).open_preset("e7-rank-collapse")
    data = view(healthy(page.run()))
    assert (data["opened"], data["opened_turn"]) == (["rank", "drift"], 1)
    keep_charts(state(page), [])
    assert view(healthy(page.run()))["address"]["charts"] == "none"
    assert view(first_look(preset="e4-weights-grow", charts="none"))["opened"] == []


@one_chart
def test_a_preset_that_was_changed_no_longer_makes_its_claim(open_lab):
    page = open_lab()
    claim = page.caption[0].value
    state(page).set_knobs(learning_rate=1.0)  # the live knob itself offers a way back to the preset
    assert healthy(page.run()).caption[0].value == claim
    page.select_slider(key="knob_depth").set_value(3)
    assert healthy(page.run()).caption[0].value != claim


@one_chart
def test_a_preset_makes_no_claim_of_a_run_that_began_otherwise(open_lab):
    assert open_lab(learning_rate="1").caption[0].value == texts("lab")["changed"]


@one_chart
def test_the_moment_to_look_is_that_of_the_preset_and_goes_with_its_structure(open_lab, first_look):
    page = open_lab(preset="e1-figure-1-digits")
    words = texts(name="presets")["e1-figure-1-digits"]
    at = PRESETS["e1-figure-1-digits"].step_to_see
    assert view(page)["step_to_see"] == {"step": at, "text": words["look"]}
    state(page).set_knobs(learning_rate=0.5)  # the browser knows the step of this change
    assert view(healthy(page.run()))["step_to_see"] is not None
    state(page).set_knobs(depth=2)
    assert view(healthy(page.run()))["step_to_see"] is None
    assert view(first_look(learning_rate="0.5"))["step_to_see"] is None
    assert view(first_look(hide="preset"))["step_to_see"] is None
    assert view(first_look(seed="7"))["step_to_see"] is not None


@one_chart
def test_a_preset_leads_to_its_opposite_and_back(open_lab):
    page = open_lab(preset="e8-shift-by-gradients")
    page.button(key="opposite").click()
    page = healthy(page.run())
    assert view(page)["address"]["preset"] == "e8-shift-lowered"
    assert page.selectbox[0].placeholder == "Gradients shift less with BN · E8"
    page.button(key="opposite").click()
    assert view(healthy(page.run()))["address"]["preset"] == "e8-shift-by-gradients"
