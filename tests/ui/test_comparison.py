"""A series on a page: its runs are trained one after another on a real hub, for the same tab."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from bnviz.config import RunConfig
from bnviz.lessons import LESSONS
from bnviz.live.web.owner import COOKIE, issuer
from bnviz.planned_runs.comparison import (
    Comparison,
    ComparisonResult,
    Curve,
    MemberResult,
)
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.gauges import Ratios
from bnviz.ui.comparison_results import ComparisonResults
from bnviz.words.numbers import write
from bnviz.words.texts import texts
from tests.live.conftest import until
from tests.ui.handed_over import drawn, said

SAID = texts("series")
SMALL = RunConfig(depth=2, width=16, batch_size=16)
# Learning rates and last step of the series. At the first rate, no network reaches the target.
RATES, LAST_STEP = (0.001, 0.1, 0.3), 100


def page_of_a_series():
    import streamlit as st

    from bnviz.ui.comparison import draw_comparison
    from tests.ui.test_comparison import series

    words = {"title": "Rates", "text": "<p>Which?</p>", "axis": "rate"}
    draw_comparison(series().with_seed(st.session_state.get("seed", 0)), words)


def series() -> Comparison:
    return Comparison.over(
        "learning_rate", RATES, SMALL, last_step=LAST_STEP, target_accuracy=0.6, learned=0.4
    )


@pytest.fixture
def page(trained, browser):
    browser.cookies = {COOKIE: issuer().signer.new()}
    found = AppTest.from_function(page_of_a_series, default_timeout=60)
    yield drawn(found)
    trained.empty()


def press(page: AppTest, name: str) -> AppTest:
    page.button(key=f"series_{name}_learning_rate").click()
    return drawn(page)


def run_of(page: AppTest) -> str:
    return page.session_state["page_runs"]["series:learning_rate"].run_id


def keys(page: AppTest) -> list[str]:
    return [button.key.split("_")[1] for button in page.button]


def test_members_run_one_after_another_and_are_drawn_together(trained, page):
    assert keys(page) == ["run"]
    learns = SAID["learns"].format(share="40\u00a0%")
    assert learns in said(page), "the target accuracy is shown before any run"
    press(page, "run")
    assert keys(page) == ["stop"]
    seen = []
    for place, rate in enumerate(RATES):
        assert f"Run {place + 1} of 3 · rate: {rate:g}" in said(page)
        run = run_of(page)
        info = trained.info(run)
        assert info.initial_config == SMALL.replace(learning_rate=rate)
        assert info.plan == series().plan
        if place == 0:
            assert len(drawn(page).get("plotly_chart")) == 0
            assert run_of(page) == run, "the same run while it continues"
        trained.watch(run)
        until(lambda run=run: trained.info(run).reason == "plan")
        until(lambda run=run: trained.history_steps(run)[-1] == trained.info(run).step)
        drawn(page)
        seen.append(run)
    assert len(set(seen)) == 3
    assert keys(page) == ["run", "clear"]
    assert "series:learning_rate" not in page.session_state["page_runs"], "no run is active"
    assert len(page.get("plotly_chart")) == 2
    members = page.session_state["series"]["learning_rate"].result.members
    for rate, found in zip(RATES, members, strict=True):
        # Each run of the series was trained live at full pace, but equals a run without a hub bit
        # for bit.
        run = run_plan(SMALL.replace(learning_rate=rate), series().plan, probes=())
        assert found == series().measured(rate, list(run))
    assert members[0].curves["none"].steps[-1] == LAST_STEP
    assert 0 < members[2].curves["none"].reached < LAST_STEP
    assert said(page).count('<th scope="row">') == 3
    assert SAID["never"] in said(page)

    assert 'data-shown="learning_rate"' in said(page)
    press(page, "clear")
    assert keys(page) == ["run"]
    assert not page.get("plotly_chart")
    assert "data-shown" not in said(page)


def test_results_that_were_lost_in_a_restart_are_told_to_be_gone_until_all_runs_again(page):
    assert SAID["results_gone"] not in said(page)
    again = AppTest.from_function(page_of_a_series, default_timeout=60)
    again.query_params["shown_run"] = ["0" * 32, "learning_rate"]
    assert SAID["results_gone"] in said(drawn(again))
    assert SAID["results_gone"] in said(drawn(again))
    assert SAID["results_gone"] not in said(press(again, "run"))
    assert 'data-shown="learning_rate"' in said(again)


def page_of_ratios():
    from bnviz.ui.comparison import draw_comparison
    from tests.ui.test_comparison import gauges

    draw_comparison(gauges(), {"title": "Gauges", "text": "", "axis": "depth"})


def gauges() -> Comparison:
    settings = {"shallow": SMALL, "deep": SMALL.replace(depth=3)}
    ratios = Ratios(gauges=("gradient_shift", "effective_beta"), steps=(5, 10))
    return Comparison.of("gauges", settings, last_step=10, ratios=ratios)


def test_measured_quantities_are_drawn_told_and_tabled_and_those_of_the_last_step_waited_for(
    trained, browser
):
    browser.cookies = {COOKIE: issuer().signer.new()}
    page = drawn(AppTest.from_function(page_of_ratios, default_timeout=60))
    page.button(key="series_run_gauges").click()
    drawn(page)
    measured = page.session_state["series"]["gauges"]

    def is_measured(run):
        found = {each.step: each for each in trained.hub.snapshots(run)}
        return 10 in found and not gauges().ratios.waits(found)

    for count in (1, 2):
        run = page.session_state["page_runs"]["series:gauges"].run_id
        trained.watch(run)
        until(lambda run=run: trained.info(run).reason == "plan")
        until(partial(is_measured, run))
        drawn(page)
        assert len(measured.result.members) == count
    plan = gauges().plan
    for (value, config), found in zip(
        gauges().settings.items(), measured.result.members, strict=True
    ):
        assert None not in found.ratios.values()
        snapshots = list(run_plan(config, plan, probes=plan.probes))
        assert found == gauges().measured(value, snapshots)
    assert len(page.get("plotly_chart")) == 1
    told = said(page)
    less = sum(found.ratios["gradient_shift"] < 1 for found in measured.result.members)
    assert f"In {less} of 2 runs the shift of gradients is smaller with BN" in told
    assert told.count('<th scope="col">') == 5
    for found in measured.result.members:
        assert write(found.ratios["effective_beta"], "number3") in told
    trained.empty()


def test_it_stops_at_once_and_begins_anew_with_other_weights(trained, page):
    press(page, "run")
    run = run_of(page)
    press(page, "stop")
    assert keys(page) == ["run"]
    assert "series:learning_rate" not in page.session_state["page_runs"]
    press(page, "run")
    assert run_of(page) != run
    page.session_state["seed"] = 4
    drawn(page)
    assert keys(page) == ["run"], "another series, of which nothing has run"
    press(page, "run")
    assert trained.info(run_of(page)).initial_config.seed == 4


def test_a_run_that_may_not_start_is_answered_and_what_was_measured_stays(trained, page, browser):
    press(page, "run")
    run = run_of(page)
    trained.watch(run)
    until(lambda: trained.info(run).reason == "plan")
    until(lambda: trained.history_steps(run)[-1] == trained.info(run).step)
    page.session_state["page_runs"]["series:learning_rate"].owner = ""
    drawn(page)
    assert keys(page) == ["run", "clear"]
    told = "".join(each.value for each in page.get("html"))
    assert texts("lab")["notice"]["no_cookie"][:20] in told
    assert len(page.get("plotly_chart")) == 2
    assert SAID["stopped"].format(done=1, count=3) in [each.value for each in page.caption]


def test_the_starts_at_which_each_network_learns_are_named():
    """The lesson on initial weights requests this sentence. Other series do not have it."""
    starts = LESSONS["slow-start"].resolve().series
    assert starts.learned == 0.5
    ends = {"none": (0.1, 0.1, 0.1, 0.96, 0.95, 0.93, 0.1, 0.1), "batch": (0.9,) * 8}

    def told(count, **other):
        curves = {**ends, **other}
        made = tuple(
            MemberResult(
                value=each,
                curves={n: Curve(steps=(300,), accuracies=(curves[n][at],)) for n in curves},
            )
            for at, each in enumerate([*starts.settings][:count])
        )
        return ComparisonResults(
            ComparisonResult(comparison=starts, members=made), "spread"
        ).who_learned()

    assert told(8) == (
        "Networks that learned, by spread: without BN at 0.058, 0.1, 0.3; with BN at all 8."
    )
    assert told(3).endswith("without BN at none; with BN at all 3.")
    assert told(5, batch=(0.5, 0.49, 0.9, 0.9, 0.9)).endswith(
        "without BN at 0.058, 0.1; with BN at 0.001, 0.03, 0.058, 0.1."
    )
