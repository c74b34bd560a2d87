"""A lesson that compares runs: the order of the runs, the ladder of results, and the verdict."""

import json

import pytest

from bnviz.lessons import what_it_buys
from bnviz.live import current_hub
from bnviz.records import Change, NetworkRecord, Snapshot
from bnviz.words.texts import texts
from tests.lessons.test_what_it_buys import HELD
from tests.ui.handed_over import said
from tests.ui.lessons.reading import captions, view, widget

NAME = "what-it-buys"
FRAME, WORDS = texts("lessons"), texts(f"lessons/{NAME}")
BUYS = what_it_buys.LESSON
LADDER = BUYS.compares(BUYS.config())
MEMBERS = [*LADDER.settings]


class Kept(list):
    """List of snapshots with the interface of the hub's snapshots."""

    @property
    def steps(self):
        return [snapshot.step for snapshot in self]

    def only(self, steps):
        return [snapshot for snapshot in self if snapshot.step in {*steps}]


def ended(value, **changed):
    """Return a run's measurements, and the hub's information about the run after its end."""
    reached = {**HELD, **changed}
    at = {norm: reached[f"{name}_{value}"] for name, norm in what_it_buys.NETWORKS.items()}
    last = LADDER.plan.last_step
    shots = [
        Snapshot(step, {norm: record(step, at[norm], price)
                        for norm, price in (("none", 0.001), ("batch", 0.0016))})
        for step in range(0, last + 1, what_it_buys.EVERY)
    ]  # fmt: skip
    return Kept(shots), {"step": last, "status": "paused", "reason": "plan"}


def record(step, reached, price):
    accuracy = 0.94 if reached is not None and step >= reached else 0.92
    return NetworkRecord(
        loss=1.0, test_loss=1.0, test_accuracy=accuracy, state="learning", broke=None, probes={},
        epochs=step / 20, training_seconds=step * price,
    )  # fmt: skip


def place(at):
    return FRAME["watch"]["member"].format(
        place=at + 1, count=len(MEMBERS), name=name_of(MEMBERS[at])
    )


def name_of(value):
    said = BUYS.named_values()
    return WORDS["ladder"][value].replace("{setting:five}", str(said["five"])).replace(
        "{setting:thirty}", str(said["thirty"])
    )  # fmt: skip


def ladder(page):
    (chart,) = page.get("plotly_chart")
    return json.loads(chart.proto.spec)


def run_all(page, became, **changed):
    """Finish each run of the comparison, and let the page record its results."""
    for at, value in enumerate(MEMBERS):
        assert place(at) in captions(page)
        seed = current_hub().info(view(page)["run"]).initial_config.seed
        info = current_hub().info(view(page)["run"])
        assert info.initial_config == LADDER.settings[value].replace(seed=seed)
        assert info.plan == LADDER.plan
        shots, told = ended(value, **changed)
        became(shots, **told)
        page.run()
        assert not page.exception
        became(shots, step=0, status="running", reason=None)
        page.run()


def test_members_run_one_after_another_and_all_together_give_the_verdict(lessons, became):
    page = lessons(lesson=NAME, guess="breaks")
    assert [each["name"] for each in ladder(page)["data"] if each.get("name")] == []
    assert ladder(page)["data"] == [], "no bar yet"
    assert len(ladder(page)["layout"]["shapes"]) == 1, "the guess"
    assert not [part for part in page.get("html") if "lesson_live { display: none" in part.value]
    first = view(page)["run"]
    run_all(page, became)
    assert view(page)["run"] != first
    assert len(ladder(page)["data"]) == 2 * len(MEMBERS)
    assert FRAME["verdict"]["held"] in said(page)
    assert WORDS["ideas"]["breaks"] in said(page)
    assert "110 at the low rate, 30 at 5 times" in said(page).replace("\n", " ")
    assert "lesson_live { display: none" in said(page), "the last run adds nothing"
    told = widget(page, "steps_seconds")
    assert [run["label"] for run in told["runs"]] == [name_of(member) for member in MEMBERS]
    assert told["measured"] == pytest.approx(1.6)
    asked = view(page)["question"]
    assert asked["happened"]["answers"] == [BUYS.answers.index("rate")]


def test_another_seed_runs_all_of_them_anew_and_both_are_drawn_together(lessons, became):
    page = lessons(lesson=NAME, guess="rate")
    run_all(page, became)
    (again,) = [each for each in page.button if each.key == "other_seed"]
    again.click().run()
    assert place(0) in captions(page)
    assert current_hub().info(view(page)["run"]).initial_config.seed == 1
    assert len(ladder(page)["data"]) == 2 * len(MEMBERS), "of the seed before"
    run_all(page, became, plain_low=150, batch_thirty=None)
    assert texts("series")["ladder_seeds"].partition("{seeds}")[2] in said(page)
    texts_of = [each["text"] for each in ladder(page)["layout"]["annotations"]]
    assert any(text.startswith("110 (110 to 150)") for text in texts_of)
    assert "40; not in 1 of 2" in texts_of
    assert FRAME["verdict"]["did_not_hold"] in said(page), "that of the seed that is open"
    page.query_params["seed"] = "0"
    page.run()
    assert FRAME["verdict"]["held"] in said(page), "a finished measurement is not repeated"
    del page.query_params["guess"]
    page.run()
    assert ladder(page)["data"] == [], "before a guess, the result is hidden"


def test_a_member_of_which_a_knob_was_set_elsewhere_is_started_over(lessons, became):
    page = lessons(lesson=NAME, guess="rate")
    first = view(page)["run"]
    shots, told = ended(MEMBERS[0])
    became(shots, **told, changes=(Change(5, {"learning_rate": 1.0}),))
    page.run()
    assert place(0) in captions(page)
    assert view(page)["run"] != first


def test_at_another_rate_all_of_them_start_from_there(lessons):
    page = lessons(lesson=NAME, guess="rate", learning_rate="0.1", beat="break")
    info = current_hub().info(view(page)["run"])
    assert (info.initial_config.learning_rate, info.plan) == (0.1, LADDER.plan)
    assert "learning_rate" not in view(page)["knobs"]["shown"]
    assert place(0) in captions(page)


def test_a_break_is_one_run(lessons, became):
    page = lessons(lesson=NAME, **{"break": "relu"})
    info = current_hub().info(view(page)["run"])
    assert info.initial_config == BUYS.config_of_try("relu")
    assert not page.get("plotly_chart"), "the ladder belongs to the lesson's own run"
    shots = Kept(
        Snapshot(step, {"none": record(step, 90, 0.001), "batch": record(step, 150, 0.0016)})
        for step in range(0, 401, 10)
    )
    became(shots, step=400, status="paused", reason="plan")
    page.run()
    assert " needs more steps" in said(page)


@pytest.mark.parametrize(
    ("status", "reason", "waits"),
    [("running", None, False), ("paused", None, True), ("paused", "plan", False),
     ("paused", "diverged", False)],
)  # fmt: skip
def test_only_a_member_that_somebody_paused_waits_to_be_played(
    lessons, became, status, reason, waits
):
    """A finished run of the comparison is recorded as soon as its last step is known."""
    page = lessons(lesson=NAME, guess="rate")
    became(Kept(), step=40, status=status, reason=reason)
    page.run()
    assert not page.exception
    assert place(0) in captions(page)
    assert ("lesson_go_on" in [button.key for button in page.button]) is waits
