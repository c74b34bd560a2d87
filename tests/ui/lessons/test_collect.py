"""The page `collect`: a table of links and reports, whose runs are repeated on a real hub."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from bnviz.config import RunConfig
from bnviz.lessons import LESSONS
from bnviz.lessons.report import Reading
from bnviz.live.contract import MOST_HANDED_IN
from bnviz.live.web.owner import COOKIE, issuer
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from bnviz.ui.lessons.collect import STATE, TabCollection
from bnviz.ui.lessons.handed_in import read_collection
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.live.conftest import until
from tests.ui.handed_over import drawn, said

OWN = texts("collect")
SMALL = RunConfig(depth=2, width=16, batch_size=16)
CHANGES = (Change(step=10, values={"learning_rate": 1.0}),)
LAST = 20


def page_that_collects():
    from bnviz.ui.lessons.collect import draw_collect
    from bnviz.ui.lessons.words import lesson_words

    draw_collect(lesson_words("collect", None))


def block(config=SMALL, changes=CHANGES, **changed):
    """Return the data block of a lab report, with the engine's results for that run."""
    plan = Plan(rates=((LAST, 10.0),), last_step=LAST, changes=changes)
    networks = list(run_plan(config, plan, probes=()))[-1].networks
    query = "&".join(f"{name}={value}" for name, value in config.to_query().items())
    return {
        "bnviz": "report", "version": 1, "link": f"https://other.host/x/lab?{query}", "who": "Ada",
        "step": LAST, "verdict": None,
        "changes": [{"step": each.step, "values": dict(each.values)} for each in changes],
        "networks": {norm: vars(Reading.of(record)) for norm, record in networks.items()},
        **changed,
    }  # fmt: skip


def handed_in(*blocks, links=""):
    files = [{"name": f"{n}.html", "text": json.dumps(each)} for n, each in enumerate(blocks)]
    return read_collection({"links": links, "files": files})


@pytest.fixture
def shown(trained, browser):
    browser.cookies = {COOKIE: issuer().signer.new()}

    def show(collection):
        page = AppTest.from_function(page_that_collects, default_timeout=60)
        page.session_state[STATE] = TabCollection(collection)
        return drawn(page)

    yield show
    trained.empty()


def test_a_report_is_the_same_when_it_is_run_again_and_a_changed_number_is_found(trained, shown):
    good = block()
    changed = json.loads(json.dumps(good))
    changed["who"] = "<b>Bob</b>"
    changed["networks"]["batch"]["test_accuracy"] += 0.125
    page = shown(handed_in(good, changed))
    assert OWN["same"] not in said(page)
    page.button(key="collect_run").click()
    drawn(page)
    for _ in range(2):
        run = page.session_state["page_runs"]["series:collect"].run_id
        trained.watch(run)
        until(lambda run=run: trained.info(run).reason == "plan")
        until(lambda run=run: trained.history_steps(run)[-1] == LAST)
        drawn(page)
    assert not page.session_state["page_runs"], "no run is active"
    text = said(page)
    assert text.count(OWN["same"]) == 1
    assert text.count(OWN["other"]) == 1
    assert "−12.5 percentage points" in text.replace("\u202f", "")
    assert "with BN, test accuracy" in text
    assert "test loss:" not in text, "no other number differs"
    assert "&lt;b&gt;Bob" in text
    assert "<b>Bob" not in text
    assert not [button for button in page.button if button.key == "collect_run"]


def test_where_the_server_refuses_a_run_the_page_says_so(shown):
    page = shown(handed_in(block()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnviz.ui.tab_run.owner", lambda: "")
        page.button(key="collect_run").click()
        drawn(page)
    told = "".join(each.value for each in page.get("html"))
    assert texts("lab")["notice"]["no_cookie"][:20] in told
    assert page.button(key="collect_run"), "and can be asked again"


def test_a_row_says_who_guessed_what_and_where_the_setting_differs():
    lesson = LESSONS["slow-start"].resolve()
    collection = handed_in(
        block(), links="http://a/lessons?lesson=slow-start&guess=alike&seed=3\n\n/lab?depth=9"
    )
    assert collection.problems == ()
    linked, lab, reported = collection.rows
    assert (linked.who, reported.who) == (OWN["line"].format(place=1), "Ada")
    assert linked.guess == texts("lessons/slow-start")["answers"]["alike"]
    assert linked.setting == ("Seed: 3",)
    assert linked.config == lesson.config(3)
    assert linked.plan is not None
    assert linked.plan.shown == lesson.plan.shown
    assert (lab.plan, lab.problem) == (None, OWN["lab_alone"])
    assert reported.config == SMALL
    assert reported.plan is not None
    assert reported.plan.changes == CHANGES
    assert 'href="/lab?' in reported.link, "on this server, whatever the file says"
    (address,) = re.findall('href="([^"]*)"', reported.link)
    (again,) = handed_in(links=unescape(address)).rows
    assert again.plan is not None, "its link alone has the changes, and the step"
    assert (again.plan.changes, again.plan.last_step) == (CHANGES, LAST)
    made = list(run_plan(again.config, again.plan, probes=()))[-1].networks
    reported_of = reported.report.measured.networks
    assert {norm: Reading.of(record) for norm, record in made.items()} == reported_of


def test_what_cannot_be_read_is_told_with_its_place_and_left_out():
    bad = block(step=0)
    wild = block(link="javascript:alert(1)")
    late = block(changes=(), who="Eve")
    late["changes"] = [{"step": 3, "values": {"learning_rate": -1}}]
    collection = handed_in(
        bad, wild, late, links="nonsense\nhttp://[x/lab\n/lessons?lesson=in-code\n/lab?depth=x"
    )
    told = "\n".join(collection.problems)
    for start in ("0.html: `step`", "1.html: `link`", "Link 1: `link`", "Link 2: `link`"):
        assert start in told
    assert "Link 3: `lesson`" in told
    assert "Link 4: `depth`" in told
    eve = collection.rows[-1]
    assert eve.who == "Eve"
    assert eve.plan is None
    assert "`learning_rate`" in eve.problem


@every_case("given", [None, [], {"files": [3], "links": 5}, {"files": [{}]}])
def test_what_no_page_of_ours_sends_does_no_harm(given):
    assert read_collection(given).rows == ()


def test_no_more_are_looked_at_than_a_class_has():
    collection = read_collection({"links": "/lessons?lesson=break-it\n" * (MOST_HANDED_IN + 1)})
    assert len(collection.rows) == MOST_HANDED_IN
    assert str(MOST_HANDED_IN) in collection.problems[0]
    row = replace(collection.rows[0], who="another")
    assert row.link == collection.rows[1].link
