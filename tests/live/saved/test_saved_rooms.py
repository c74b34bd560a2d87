"""A saved class has its votes, its texts in every language and its place."""

from bnviz.live.classroom.class_text import ClassText, phrases_of
from bnviz.live.classroom.classrooms import Classroom
from bnviz.live.classroom.messages import TeacherLocation, read_outcome, read_question
from bnviz.live.classroom.votes import Vote
from bnviz.live.saved.saved_rooms import plain_room, read_room
from tests.live.conftest import OWNER

ASKED = {
    "text": "Which one breaks?", "text_phrase": {"key": "class.ask.first", "values": {}},
    "answers": ["Neither", "Both"],
    "answer_phrases": [{"key": "class.answer.none"}, {"key": "class.answer.both"}],
}  # fmt: skip
OUTCOME = {
    "answers": [1], "sentence": "Both broke.", "sentence_phrases": [
        {"key": "class.happened.broke", "values": {
            "label": {"key": "home.networks.none"}, "step": 1234567890123,
        }},
    ],
}  # fmt: skip


def facts(room: Classroom) -> dict:
    """Return all that decides what phones and the teacher see, apart from times."""
    question = room.question
    assert question is not None
    texts = [question.text, *question.answers]
    if question.outcome:
        texts.append(question.outcome.sentence)
    plain = vars(room) | {
        "question": vars(question), "phrases": [phrases_of(text) for text in texts],
        "addresses": [*room.addresses], "seen_at": None, "seen_ballots": [*room.seen_ballots],
    }  # fmt: skip
    return plain


def test_a_class_is_the_same_after_it_was_saved():
    room = Classroom("K7QXPM", OWNER, 3, "192.0.2.1")
    room.addresses.put("192.0.2.2", None)
    room.location = TeacherLocation("/lab?rate=1", "run")
    for ballot in ("a", "b"):
        room.admit(ballot, "192.0.2.2")
    room.ask("In my own words", ("A", "B"))
    room.ask(*read_question(ASKED))
    room.vote("a", 2, 1, Vote(0, 2**51, 3))
    assert facts(read_room(plain_room(room), 3)) == facts(room)
    room.asked().reveal()
    room.asked().ask_again()
    room.vote("b", 2, 2, Vote(1))
    room.asked().count_hands([4, 5])
    room.asked().reveal()
    room.asked().outcome = read_outcome(OUTCOME, 2)
    room.changed()
    again = read_room(plain_room(room), 3)
    assert facts(again) == facts(room)
    assert isinstance(again.asked().text, ClassText)
    again.ask("Next", ("A", "B"))
    assert again.asked().id == 3
