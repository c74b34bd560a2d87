"""Review questions of lessons about earlier lessons."""

from bnviz.lessons import LESSONS, place_of
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.observing import WITH_A_RUN

# Number of earlier lessons that a lesson with review questions needs.
FIRST = 2
CURRICULUM = [name for name in LESSONS if not LESSONS[name].extra]


def asked(name):
    return [dict(each) for each in texts(f"lessons/{name}").get("remember", ())]


def before(name):
    """List the earlier lessons of the course, nearest first."""
    names = list(LESSONS)
    return [each for each in CURRICULUM if names.index(each) < names.index(name)][::-1]


ASKING = [name for name in (*WITH_A_RUN, "in-code") if len(before(name)) >= FIRST]


@every_case("name", ASKING)
def test_a_lesson_from_the_third_on_asks_of_the_one_before_and_of_one_two_to_four_back(name):
    nearest, *further = before(name)
    (first, second) = asked(name)
    if len(further) + 1 == len(CURRICULUM):
        # Extra lessons after the course build on earlier lessons of the course, and their questions
        # review those lessons.
        assert {first["lesson"], second["lesson"]} <= {*CURRICULUM}
    else:
        assert first["lesson"] == nearest
        assert second["lesson"] in further[:3]
    for each in (first, second):
        assert each.keys() == {"lesson", "question", "answer"}
        assert each["question"].endswith("?")
        assert "[[" not in each["question"], "the question does not link to a term"
        assert each["answer"].strip()


def test_the_first_lessons_have_nothing_to_ask_of():
    assert [name for name in WITH_A_RUN if place_of(name) in (0, 1) and asked(name)] == []


def test_no_question_is_asked_twice():
    questions = [each["question"] for name in ASKING for each in asked(name)]
    assert len(questions) >= 2 * 4
    assert len(set(questions)) == len(questions)
