"""Two optional review questions from earlier lessons, above the lesson's question."""

import re

from bnviz.words.texts import texts
from tests.ui.handed_over import said

FRAME = texts("lessons")["remember"]
HERE = 'class="lesson-remember"'


def test_a_lesson_begins_with_two_questions_folded_each_with_its_answer_behind_it(lessons):
    page = lessons(lesson="by-hand")
    (whole,) = [part.value for part in page.get("html") if HERE in part.value]
    assert not re.search(r"<details[^>]* open", whole)
    own = texts("lessons/by-hand")["remember"]
    for number, each in enumerate(own):
        start = whole.index(f'data-question="by-hand-{number}"')
        asked = re.sub(r"\*(.+?)\*", r"<em>\1</em>", each["question"])
        question, answer = whole.index(asked), whole.index(each["answer"][:20])
        assert start < question < answer
        title = texts(f"lessons/{each['lesson']}")["title"]
        assert FRAME["from"].format(title=title) in whole[answer:]
    assert len(re.findall("<summary>", whole)) == 1 + len(own)
    assert FRAME["intro"] in whole
    before, _, _ = said(page).partition('class="lesson-beat"')
    assert HERE in before, "above the question"


def test_they_stand_in_no_way_of_what_follows_and_only_over_the_question(lessons):
    page = lessons(lesson="by-hand")
    page.button(key="lesson_to_predict").click().run()
    assert HERE not in said(page)


def test_the_first_lessons_and_a_frame_of_another_site_ask_nothing(lessons):
    for query in ({"lesson": "break-it"}, {"lesson": "by-hand", "embed": "true"}):
        assert HERE not in said(lessons(**query)), query
