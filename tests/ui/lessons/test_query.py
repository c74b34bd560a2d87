"""A lesson's address: reading, remembered parts, and responses to wrong parts."""

from bnviz.config import RunConfig
from bnviz.lessons import LESSONS
from bnviz.ui.lessons.query import (
    LessonQuery,
    live_knobs,
    read_lesson_query,
    restart_knobs,
)
from bnviz.ui.query_schema import FIRST_LESSON, MOST_SEED
from bnviz.words.texts import texts
from tests.every_case import every_case

SLOW = LESSONS["slow-start"].resolve()
RUN = "0123456789abcdef" * 2
# Lesson page without a run, which therefore has no sections, no guess and no knobs.
A_PAGE = next(name for name, entry in LESSONS.items() if entry.is_page)


def read(query):
    """Return the query of the given lesson, by default of the first lesson."""
    return read_lesson_query({"lesson": FIRST_LESSON, **query})


def test_without_a_lesson_all_are_listed():
    assert read_lesson_query({}) == read_lesson_query({"lesson": ""}) == LessonQuery(name="")
    assert LessonQuery(name="").to_query() == {}
    assert read_lesson_query({"lang": "en", "embed": "true"}) == LessonQuery(name="")


@every_case(
    ("query", "names"),
    [({"guess": "stays"}, "'guess'"), ({"seed": "3", "beat": "why"}, "'beat', 'seed'"),
     ({"run": RUN}, "'run'"), ({"<b>": "1"}, "'<b>'")],
)  # fmt: skip
def test_the_list_reads_nothing_else_and_says_so(query, names):
    (problem,) = read_lesson_query(query).problems
    assert problem[0] == "unknown"
    assert sorted(problem[1]["names"].split(", ")) == names.split(", ")
    assert read_lesson_query(query).name == ""


def test_a_visit_of_no_special_lesson_is_one_of_the_first():
    assert (
        read({})
        == LessonQuery()
        == LessonQuery(name=FIRST_LESSON)
        == LessonQuery(name="read-the-charts")
    )


@every_case(
    ("query", "fields"),
    [
        ({"lesson": "depth"}, {"name": "depth"}),
        ({"lesson": "slow-start", "guess": "flat"}, {"name": "slow-start", "guess": "flat"}),
        ({"seed": "12"}, {"seed": 12}),
        ({"seed": str(MOST_SEED)}, {"seed": MOST_SEED}),
        ({"lesson": "slow-start", "break": "dying"}, {"name": "slow-start", "broken": "dying"}),
        ({"lesson": "slow-start", "init_std": "0.3"},
         {"name": "slow-start", "knobs": {"init_std": 0.3}}),
        ({"lesson": "through-the-batch", "activation": "tanh", "ablation_gradient": "true"},
         {"name": "through-the-batch", "knobs": {"activation": "tanh", "ablation_gradient": True}}),
        ({"present": "1"}, {"present": True}),
        ({"hide": "answers"}, {"hide": True}),
        ({"lesson": "slow-start", "beat": "why"}, {"name": "slow-start", "beat": "why"}),
        ({"lesson": "break-it", "beat": "predict", "guess": "draw:95,10,0,60,100"},
         {"name": "break-it", "beat": "predict", "guess": "draw:95,10,0,60,100"}),
        ({"lesson": "break-it", "guess": "stays", "break": "late", "beat": "break"},
         {"name": "break-it", "guess": "stays", "broken": "late", "beat": "break"}),
        ({"lesson": "is-it-shift", "beat": "own", "account": "scale", "because": "I saw it fall."},
         {"name": "is-it-shift", "beat": "own", "account": "scale", "because": "I saw it fall."}),
        ({"stop": "1"}, {"stop": 1}),
        ({"stop": "6"}, {"stop": 6}),
        ({"lesson": "slow-start", "guess": "alike", "seed": "7", "init_std": "0.3",
          "activation": "tanh", "present": "1", "hide": "answers"},
         {"name": "slow-start", "guess": "alike", "seed": 7, "present": True, "hide": True,
          "knobs": {"init_std": 0.3, "activation": "tanh"}}),
        ({"lesson": "break-it", "guess": "stays", "seed": "2", "break": "late", "present": "1"},
         {"name": "break-it", "guess": "stays", "seed": 2, "broken": "late", "present": True}),
        ({"seed": "3", "present": "1", "hide": "answers", "stop": "2"},
         {"seed": 3, "present": True, "hide": True, "stop": 2}),
    ],
)  # fmt: skip
def test_each_field_of_an_address_is_read_and_written_again(query, fields):
    visit = read(query)
    assert visit == LessonQuery(**fields)
    assert visit.to_query() == {"lesson": FIRST_LESSON, **query}


@every_case(
    ("query", "kept"),
    [
        ({"run": RUN}, {}),
        ({"lang": "en", "embed": "true"}, {}),
        ({"seed": "0", "present": "0", "hide": "", "stop": "0"}, {}),
        ({"lesson": "slow-start", "activation": "sigmoid"}, {"lesson": "slow-start"}),
        ({"lesson": "slow-start", "break": "dying", "init_std": "0.3"},
         {"lesson": "slow-start", "break": "dying"}),
    ],
)  # fmt: skip
def test_what_is_no_setting_or_the_usual_one_is_not_written(query, kept):
    visit = read(query)
    assert visit.problems == ()
    assert visit.to_query() == {"lesson": FIRST_LESSON, **kept}


def test_a_run_to_go_on_with_is_read_but_an_address_is_of_the_setting():
    assert read({"run": RUN, "seed": "4"}) == LessonQuery(run=RUN, seed=4)


ALL, STEPS = ", ".join(LESSONS), {"most": "6"}
BREAKS = ", ".join(each.name for each in LESSONS["break-it"].resolve().breaks)


@every_case(
    ("query", "problem", "values", "left"),
    [
        ({"lesson": "<b>"}, "lesson", {"value": "'<b>'", "allowed": ALL}, {}),
        ({"lesson": "break-it", "guess": "up"}, "guess",
         {"value": "'up'", "allowed": "learns_again, stays, proportional"}, {"name": "break-it"}),
        ({"lesson": "break-it", "beat": "end"}, "beat",
         {"value": "'end'", "allowed": "question, predict, verdict, why, break"},
         {"name": "break-it"}),
        ({"beat": "why"}, "unknown", {"names": "beat"}, {}),
        ({"lesson": A_PAGE, "beat": "why"}, "unknown", {"names": "beat"}, {"name": A_PAGE}),
        ({"lesson": "slow-start", "guess": "draw:95,10,30,60,90"}, "guess",
         {"value": "'draw:95,10,30,60,90'", "allowed": "flat, alike, slow"},
         {"name": "slow-start"}),
        ({"seed": "-1"}, "seed", {"value": "'-1'", "most": str(MOST_SEED)}, {}),
        ({"seed": str(MOST_SEED + 1)}, "seed",
         {"value": f"'{MOST_SEED + 1}'", "most": str(MOST_SEED)}, {}),
        ({"seed": "0" * 5000}, "seed", {"value": f"'{'0' * 57}...'", "most": str(MOST_SEED)}, {}),
        ({"seed": "²"}, "seed", {"value": "'²'", "most": str(MOST_SEED)}, {}),
        ({"lesson": "break-it", "break": "all"}, "break", {"value": "'all'", "allowed": BREAKS},
         {"name": "break-it"}),
        ({"run": "../etc"}, "run", {"value": "'../etc'"}, {}),
        ({"run": "0" * 31}, "run", {"value": f"'{'0' * 31}'"}, {}),
        ({"stop": "7"}, "stop", {"value": "'7'", **STEPS}, {}),
        ({"stop": "-1"}, "stop", {"value": "'-1'", **STEPS}, {}),
        ({"stop": "01"}, "stop", {"value": "'01'", **STEPS}, {}),
        ({"lesson": "break-it", "stop": "1"}, "unknown", {"names": "stop"}, {"name": "break-it"}),
        ({"present": "yes"}, "flag", {"field": "present", "value": "'yes'"}, {}),
        ({"hide": "everything"}, "hide", {"value": "'everything'"}, {}),
        ({"lesson": "break-it", "depth": "3"}, "unknown", {"names": "'depth'"},
         {"name": "break-it"}),
        ({"guess": "stays"}, "unknown", {"names": "guess"}, {}),
        ({"break": "late"}, "unknown", {"names": "break"}, {}),
        ({"lesson": A_PAGE, "guess": "one"}, "unknown", {"names": "guess"}, {"name": A_PAGE}),
        ({"lesson": A_PAGE, "activation": "tanh"}, "unknown", {"names": "'activation'"},
         {"name": A_PAGE}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_answered_and_left_out(query, problem, values, left):
    visit = read(query)
    ((found, told),) = visit.problems
    assert (found, told) == (problem, told | values)
    assert visit == LessonQuery(**left, problems=visit.problems)
    assert texts("lessons")["notice"][problem].format(**values)


@every_case(
    "given",
    ["draw:", "draw:95,10,30,60", "draw:95,10,30,60,90,1", "draw:95,10,30,60,101",
     "draw:95,10,30,60,-1", "draw:95,10,30,60,9.5", "draw:95, 10, 30, 60, 90", "draw:a,b,c,d,e",
     "draw:stays", "draw:<b>", "draw:" + "9," * 500],
)  # fmt: skip
@every_case("lesson", ["break-it", "moving-targets", "through-the-batch"])
def test_a_drawing_that_is_wrong_is_answered_with_what_it_must_be_and_left_out(lesson, given):
    visit = read({"lesson": lesson, "guess": given})
    ((problem, values),) = visit.problems
    assert (problem, visit.guess, visit.drawn) == ("drawing", None, None)
    said = texts("lessons")["notice"][problem].format(**values)
    shown = given if len(given) <= 60 else given[:57] + "..."
    assert said.startswith("`guess` must have 5 whole numbers from 0 to 100 after draw:")
    assert f"got '{shown}'" in said


def test_a_drawing_is_read_as_points_and_an_answer_is_none():
    drawn = read({"lesson": "break-it", "guess": "draw:95,10,0,60,100"})
    assert drawn.drawn == (95, 10, 0, 60, 100)
    assert read({"lesson": "break-it", "guess": "stays"}).drawn is None
    assert read({"lesson": "break-it"}).drawn is None


@every_case(
    ("given", "kept"),
    [({"activation": "step"}, {}), ({"init_std": "-1"}, {}), ({"init_std": "x"}, {}),
     ({"init_std": "0.3", "activation": "step"}, {"init_std": 0.3})],
)  # fmt: skip
def test_a_knob_that_is_wrong_is_left_out_and_its_error_says_what_is_allowed(given, kept):
    visit = read({"lesson": "slow-start", **given})
    ((problem, values),) = visit.problems
    (wrong,) = given.keys() - kept.keys()
    assert (problem, visit.knobs) == ("knob", kept)
    assert f"`{wrong}` must be" in values["message"]


def test_every_problem_of_an_address_is_answered():
    wrong = {"lesson": "break-it", "seed": "x", "guess": "x", "stop": "x", "hide": "x", "more": "1"}
    found = [problem for problem, _ in read(wrong).problems]
    assert sorted(found) == ["guess", "hide", "seed", "unknown", "unknown"]


def test_a_lessons_own_run_has_the_seed_and_the_knobs_of_the_address():
    config, plan = LessonQuery(name="slow-start", seed=7, knobs={"init_std": 0.3}).setting(SLOW)
    assert config == SLOW.config().replace(seed=7, init_std=0.3)
    assert plan == SLOW.plan


def test_a_break_has_its_own_knobs_and_schedule_and_the_seed_of_the_address():
    visit = read({"lesson": "break-it", "break": "late", "seed": "7"})
    config, plan = visit.setting(LESSONS["break-it"].resolve())
    assert config == RunConfig(seed=7)
    assert plan.last_step == 4_200
    assert [change.step for change in plan.changes] == [4_000]


@every_case(
    ("visit", "waits"),
    [
        (LessonQuery(name="slow-start"), True),
        (LessonQuery(name="slow-start", guess="flat"), False),
        (LessonQuery(name="slow-start", embed=True), False),
        (LessonQuery(name="slow-start", present=True), False),
        (LessonQuery(name="slow-start", hide=True, broken="dying"), True),
        (LessonQuery(), False),
    ],
)
def test_a_run_waits_for_a_guess_where_one_can_be_made(visit, waits):
    """Embedded pages take no guess, the class guesses in the presentation view, and the first
    lesson asks nothing.
    """
    assert visit.waits(LESSONS[visit.name].resolve()) is waits


def test_knobs_that_start_a_run_over_are_told_from_those_that_act_while_it_runs():
    found = LESSONS["by-hand"].resolve()
    assert (restart_knobs(found), live_knobs(found)) == (("norm_eps",), ("batch_size",))


def test_of_other_weights_there_is_always_a_next():
    assert read({"seed": "4"}).next_seed == 5
    assert read({"seed": str(MOST_SEED)}).next_seed == 0
