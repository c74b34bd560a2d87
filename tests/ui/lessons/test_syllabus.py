"""The page `syllabus`: each lesson of a route with its links, and common misconceptions."""

from html import escape

from bnviz.lessons import LESSONS
from bnviz.ui.lessons.curriculum import PARTS, next_after
from bnviz.ui.lessons.syllabus import ROUTES
from bnviz.words.texts import texts
from tests.ui.handed_over import said

OWN = texts("lessons/syllabus")


def test_the_list_has_every_lesson_once_in_order_and_leads_no_learner_to_teachers_pages():
    assert [name for names in PARTS.values() for name in names] == [*LESSONS]
    teachers = PARTS["teachers"]
    assert {next_after(name) for name in LESSONS if name not in teachers}.isdisjoint(teachers)
    assert next_after("what-you-can-say") is None, "then comes the list of all lessons"


def test_every_lesson_of_a_route_is_there_with_its_minutes_and_links(lessons):
    text = said(lessons(lesson="syllabus"))
    for name, route in ROUTES.items():
        assert escape(OWN["route"][name]["title"], quote=False) in text
        for session in (*route.sessions, route.spare):
            for lesson in session:
                theirs = texts(f"lessons/{lesson}")
                says = theirs["short"] if LESSONS[lesson].is_page else theirs["teacher"]["say"]
                assert escape(says, quote=False) in text
    for query in ("present=1", "hide=answers", "print=1"):
        assert f"lesson=break-it&amp;{query}" in text
    for name, entry in LESSONS.items():
        if not entry.is_page:
            for each in texts(f"lessons/{name}")["teacher"]["misconceptions"]:
                assert escape(each, quote=False) in text
