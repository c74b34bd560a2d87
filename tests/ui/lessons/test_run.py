"""State of a lesson's run on its page: playing, paused, or finished."""

import pytest

from bnviz.lessons import LESSONS
from bnviz.live import current_hub
from bnviz.live.web.owner import issuer
from bnviz.records import Change
from bnviz.ui.lab_query import LabQuery
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.tab_run import TabRun
from tests.lessons.made_by_hand import made

LESSON = LESSONS["slow-start"].resolve()


@pytest.fixture(scope="module")
def run(live):
    config, plan = LESSON.config(), LESSON.plan
    return current_hub().start(issuer().signer.new(), config, pace="plan", paused=True, plan=plan)


@pytest.fixture
def running(run):
    """Lesson's run during one execution of the page's script. Its state is read once, on
    first use.
    """
    config, plan = LESSON.config(), LESSON.plan
    return LessonRun(TabRun("", LabQuery(config), config, run_id=run), config, plan)


@pytest.mark.parametrize(
    ("step", "status", "reason", "finished", "ended", "playing"),
    [
        (0, "paused", None, False, False, False),
        (0, "queued", None, False, False, True),
        (299, "running", None, False, False, True),
        (299, "paused", "unwatched", False, False, True),
        (299, "paused", None, False, False, False),
        (300, "paused", "plan", True, False, False),
        (301, "running", None, True, False, True),
        (17, "paused", "diverged", True, True, False),
        (17, "paused", "limit", True, True, False),
        (17, "error", "failed", True, True, False),
        (17, "running", "diverged", False, False, True),
    ],
)
def test_a_run_is_finished_at_its_last_step_or_where_it_goes_no_further(
    running, became, step, status, reason, finished, ended, playing
):
    became(step=step, status=status, reason=reason)
    assert running.step == step
    assert (running.finished, running.playing) == (finished, playing)
    assert running.observed.ended is ended


def test_what_is_watched_is_what_was_measured_and_the_knobs_it_began_with(running, became):
    kept, up = made("slow-start", {}).snapshots, (Change(8, {"learning_rate": 2.0}),)
    now = LESSON.config().replace(learning_rate=2.0)
    became(kept, config=now, changes=up)
    found = running.observed
    assert (found.snapshots, found.config, found.changes) == (kept, LESSON.config(), up)


def test_what_is_drawn_first_and_what_is_drawn_last_show_the_same_step(running, became):
    """The data of the charts are computed before the text, and the run may end in between."""
    became(made("slow-start", {}).snapshots[:5], step=299, status="running", reason=None)
    first = (running.step, running.finished, running.observed)
    became(made("slow-start", {}).snapshots, step=300, status="paused", reason="plan")
    assert (running.step, running.finished, running.observed) == first


def test_without_a_run_nothing_was_watched_and_nothing_is_finished(live):
    config = LESSON.config()
    none = LessonRun(TabRun("", LabQuery(config), config), config, LESSON.plan)
    assert (none.step, none.finished, none.playing) == (0, False, False)
    assert none.observed.last_step == -1
