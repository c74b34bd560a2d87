"""The page `syllabus`: each lesson of a route with its links, and what people often think."""

from html import escape

from bnviz.lessons import LESSONS
from bnviz.lessons.routes import ROUTES
from bnviz.words.texts import texts
from tests.ui.lessons.reading import said

OWN = texts("lessons/syllabus")


def test_every_lesson_of_a_route_is_there_with_its_minutes_and_links(lessons):
    text = said(lessons(lesson="syllabus"))
    for name, sessions in ROUTES.items():
        assert escape(OWN["route"][name]["title"], quote=False) in text
        for session in sessions:
            for lesson in session:
                assert escape(texts(f"lessons/{lesson}")["teacher"]["say"], quote=False) in text
    for query in ("present=1", "hide=answers", "print=1"):
        assert f"lesson=break-it&amp;{query}" in text
    for name, entry in LESSONS.items():
        if not entry.is_page:
            for each in texts(f"lessons/{name}")["teacher"]["misconceptions"]:
                assert escape(each, quote=False) in text
