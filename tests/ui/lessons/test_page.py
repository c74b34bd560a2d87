"""The page of a lesson whose run is at step 0."""

from bnviz.lessons import LESSONS
from bnviz.live import current_hub
from bnviz.words.texts import texts
from tests.ui.lessons.reading import view, widget


def test_before_a_guess_nothing_can_be_played_and_after_it_the_run_plays(lessons):
    page = lessons(lesson="slow-start", beat="predict")
    assert view(page)["block"]["waits"] is True
    assert view(page)["block"]["covered"].keys() == {"saturation", "gradients"}
    run = current_hub().info(view(page)["run"])
    assert (run.status, run.step) == ("paused", 0)
    assert run.plan == LESSONS["slow-start"].resolve().plan
    for answer in ("alike", "flat"):  # the guess may change until the run starts
        page.button(key=f"answer_{answer}").click().run()
        assert not page.exception
        assert page.query_params["guess"] == answer
        assert view(page)["block"]["waits"] is True
        run = current_hub().info(run.id)
        assert (run.status, run.step) == ("paused", 0)
    page.button(key="lesson_run").click().run()
    assert view(page)["block"]["waits"] is False
    assert view(page)["block"]["covered"] == {}
    assert view(page)["at"] is None
    assert "transport" in view(page)["block"]["parts"]
    assert view(page)["run"] == run.id, "the same run continues"
    (note,) = view(page)["block"]["notes"].values()
    assert texts("lessons/slow-start")["answers"]["flat"] in note


def test_a_run_that_has_ended_is_shown_at_the_step_of_which_the_verdict_speaks(lessons, became):
    became([], step=LESSONS["slow-start"].resolve().plan.last_step)
    page = lessons(lesson="slow-start", guess="flat")
    assert view(page)["at"] == 25
    assert view(lessons(lesson="slow-start", guess="flat", hide="answers"))["at"] is None
    broken = lessons(lesson="slow-start", guess="flat", **{"break": "dying"})
    assert view(broken)["at"] is None


def test_another_setting_in_the_address_is_another_run(lessons):
    page = lessons(lesson="through-the-batch", guess="grows", seed="3")
    first = view(page)["run"]
    page.query_params["activation"] = "tanh"
    page.run()
    assert view(page)["run"] != first
    assert current_hub().info(view(page)["run"]).initial_config.activation == "tanh"
    second = view(page)["run"]
    page.run()
    assert view(page)["run"] == second, "and stays"
    outside = widget(page, "outside_gradient")
    assert outside["begun"] is True, (
        "the answer is given, so the layer alone is no longer a question"
    )


def test_another_browsers_run_is_looked_at_but_never_waited_for(lessons):
    """A visitor with another browser's run gets a new run to play, because the address may have
    been passed on.
    """
    page = lessons(lesson="by-hand")
    theirs = view(page)["run"]
    assert view(lessons(lesson="by-hand", run=theirs))["run"] != theirs
    guessed = lessons(lesson="by-hand", run=theirs, guess="nearer")
    assert view(guessed)["run"] != theirs
    assert view(lessons(lesson="by-hand", run=theirs, embed="1"))["run"] == theirs
    by_hand = widget(guessed, "by_hand")
    assert (by_hand["mode"], by_hand["highlight"]) == ("forward", 2)
    assert by_hand["guess"] == "It comes nearer to zero."


def test_a_run_of_the_same_knobs_that_follows_another_schedule_is_not_taken(lessons):
    theirs = view(lessons(lesson="break-it"))["run"]
    frame = lessons(lesson="break-it", run=theirs, embed="1", **{"break": "not-put-back"})
    assert view(frame)["run"] != theirs
