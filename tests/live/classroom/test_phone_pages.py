"""Text and bars of a ballot at each stage of a vote."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from bnviz.charts.theme import DARK, LIGHT
from bnviz.live.classroom.class_text import ClassText
from bnviz.live.classroom.classrooms import Classroom
from bnviz.live.classroom.messages import TeacherLocation
from bnviz.live.classroom.phone_pages import (
    FOLDER,
    ballot_main,
    ballot_page,
    code_page,
    follow_page,
    own_answer_text,
)
from bnviz.live.classroom.votes import RunOutcome, Vote
from bnviz.norms.colour_places import colour_places
from bnviz.words.phrase import Phrase
from tests.live.conftest import OWNER

ANSWERS = ("Without BN", "With BN", "Both", "Neither")
# Votes for each answer in the first and in the second round. All counts within a round differ, and
# so do the sums of the two rounds.
FIRST, SECOND = (5, 2, 0, 1), (1, 6, 3, 0)
CLOSED = "The vote is closed."
NEXT = "The votes appear here when the teacher shows them in the room."


def voted(room: Classroom, *counts: int) -> None:
    """Cast `counts[i]` votes for answer i."""
    assert room.question is not None
    answers = [answer for answer, count in enumerate(counts) for _ in range(count)]
    for number, answer in enumerate(answers):
        room.vote(f"{number:064x}", room.question.id, room.question.round, Vote(answer))


@pytest.fixture
def room() -> Classroom:
    """Class with an open question and the votes of its first round."""
    room = Classroom("K7QXPM", OWNER, 100)
    room.ask("Which one breaks?", ANSWERS)
    voted(room, *FIRST)
    return room


@pytest.fixture
def twice(room: Classroom) -> Classroom:
    """The class of `room` in its second round, with the votes of that round."""
    room.asked().ask_again()
    voted(room, *SECOND)
    return room


def rows(room: Classroom, mine: int | None = None) -> list[dict[str, Any]]:
    """The rows of a tally."""
    found = []
    for kind, row in re.findall(r'<li class="([^"]*)">(.*?)</li>', ballot_main(room, mine, "")):
        bars = re.findall(r'<svg class="(.*?)".*?<rect width="(.*?)" height="100%"/>', row)
        letter, answer = re.findall(r"<span[^>]*>(.*?)</span>", row)
        (count,) = re.findall(r"<b>(\d+)</b>", row)
        found.append({
            "kind": kind.split(), "answer": f"{letter} {answer}", "count": int(count), "bars": bars,
            "marks": re.findall(r'<p class="marks">(.*?)</p>', row),
        })  # fmt: skip
    return found


def sentence(room: Classroom) -> str:
    (found,) = re.findall(r'<p class="sentence" dir="auto">(.*?)</p>', ballot_main(room, None, ""))
    return found


def total(room: Classroom) -> str:
    return re.findall(r'</ol><p class="marks">(.*?)</p>$', ballot_main(room, None, ""))[0]


def test_a_tally_has_each_answers_own_count_and_the_share_that_it_is_of_all(room: Classroom):
    room.asked().reveal()
    found = rows(room, mine=1)
    assert [row["answer"] for row in found] == [
        "A Without BN", "B With BN", "C Both", "D Neither",
    ]  # fmt: skip
    assert [row["count"] for row in found] == [5, 2, 0, 1]
    assert [row["bars"] for row in found] == [
        [("bar", "62.5%")], [("bar", "25.0%")], [("bar", "0.0%")], [("bar", "12.5%")],
    ]  # fmt: skip
    assert [row["kind"] for row in found] == [[], ["mine"], [], []]
    assert [row["marks"] for row in found] == [[], ["your answer"], [], []]
    assert total(room) == "What the class said: 8 answers"
    assert sentence(room) == "Now watch what the run does."
    assert all(not row["marks"] for row in rows(room))


def test_after_a_second_round_each_answer_has_both_bars_of_its_own_round(twice: Classroom):
    twice.asked().reveal()
    found = rows(twice, mine=3)
    assert [row["count"] for row in found] == [1, 6, 3, 0]
    assert [row["bars"] for row in found] == [
        [("bar", "10.0%"), ("bar past", "62.5%")], [("bar", "60.0%"), ("bar past", "25.0%")],
        [("bar", "30.0%"), ("bar past", "0.0%")], [("bar", "0.0%"), ("bar past", "12.5%")],
    ]  # fmt: skip
    assert [row["marks"] for row in found] == [
        ["first vote: 5"], ["first vote: 2"], ["first vote: 0"], ["your answer · first vote: 1"],
    ]  # fmt: skip
    assert total(twice) == "What the class said: 10 answers"
    assert "Second vote, after the discussion" in ballot_main(twice, None, "")


def test_what_happened_is_marked_at_what_came_true_alone(twice: Classroom):
    twice.asked().outcome = RunOutcome([1, 2], "With BN broke at step 156.")
    assert "156" not in ballot_main(twice, None, ""), "the vote continues"
    twice.asked().reveal()
    assert sentence(twice) == "With BN broke at step 156."
    found = rows(twice, mine=2)
    assert [row["kind"] for row in found] == [[], ["happened"], ["happened", "mine"], []]
    happened = "<strong>This happened</strong>"
    assert [row["marks"][0].partition(" · first")[0] for row in found] == [
        "first vote: 5", happened, f"{happened} · your answer", "first vote: 1",
    ]  # fmt: skip
    for answers in ((), None):
        twice.asked().outcome = RunOutcome(answers, "It cannot be said.")
        assert all(row["kind"] == [] for row in rows(twice))
        assert sentence(twice) == "It cannot be said."


def test_a_second_round_begins_without_votes_hands_or_what_happened(room: Classroom):
    room.asked().count_hands([4, 3, 2, 1])
    room.asked().outcome = RunOutcome([0], "Without BN broke.")
    room.asked().reveal()
    room.asked().ask_again()
    question = room.question
    assert question is not None
    assert (question.status, question.round, question.tally) == ("open", 2, [0, 0, 0, 0])
    assert (question.first, question.hands, question.outcome) == ([4, 3, 2, 1], None, None)
    assert (question.answered, room.answer_of(f"{0:064x}")) == (0, None)
    assert room.state()["question"]["happened"] is None
    assert own_answer_text(room, None) == "Tap your answer."
    room.asked().reveal()
    assert sentence(room) == "Now watch what the run does."
    assert total(room) == "What the class said: 0 answers"
    assert [row["bars"] for row in rows(room)] == [
        [("bar", "0.0%"), ("bar past", share)] for share in ("40.0%", "30.0%", "20.0%", "10.0%")
    ]


def test_one_answer_is_one_and_hands_are_a_sum(room: Classroom):
    room.asked().count_hands([0, 1, 0, 0])
    room.asked().reveal()
    assert total(room) == "What the class said: 1 answer"
    room.asked().count_hands([12, 0, 3, 0])
    assert total(room) == "What the class said: 15 answers"
    assert [row["count"] for row in rows(room)] == [12, 0, 3, 0]
    assert room.question is not None
    assert room.question.answered == 15


def test_what_is_said_of_ones_own_answer_at_every_point_of_a_vote(room: Classroom):
    def said() -> list[str]:
        return [own_answer_text(room, mine) for mine in (None, 0, 3)]

    counted = "Your answer {} is counted. You can change it until the vote is closed."
    own = ["You gave no answer.", "Your answer was A.", "Your answer was D."]
    assert said() == ["Tap your answer.", counted.format("A"), counted.format("D")]
    room.asked().close()
    assert said() == [f"{CLOSED} {one} {NEXT}" for one in own]
    room.asked().reveal()
    assert said() == own
    room.asked().ask_again()
    assert said()[0] == "Tap your answer."
    room.asked().count_hands([1, 2, 3, 4])
    hands = "The teacher counted raised hands instead of votes from phones."
    assert set(said()) == {f"{CLOSED} {hands} {NEXT}"}
    room.asked().reveal()
    assert set(said()) == {hands}
    room.drop()
    assert set(said()) == {""}


def test_the_choices_are_a_form_for_this_question_and_this_round(room: Classroom):
    for round_ in (1, 2):
        assert room.question is not None
        text = ballot_main(room, 2, "/base")
        assert 'action="/base/b/K7QXPM/vote"' in text
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="(\d+)"', text))
        assert fields == {"question": str(room.question.id), "round": str(round_)}
        pressed = re.findall(r'name="answer" value="(\d)" [^>]*aria-pressed="(\w+)"', text)
        assert pressed == [("0", "false"), ("1", "false"), ("2", "true"), ("3", "false")]
        assert re.findall(r'class="letter">(\w)<', text) == list("ABCD")
        assert ("after the discussion" in text) is (round_ == 2)
        if round_ == 1:
            room.asked().ask_again()


def test_a_network_that_is_an_answer_has_the_line_that_the_charts_give_it():
    keys = ("norms.layer.network", "norms.batch.network", "home.networks.none", "class.answer.same")
    answers = tuple(ClassText(key, Phrase(key)) for key in keys)
    room = Classroom("K7QXPM", OWNER, 100)
    room.ask("Which one is ahead?", answers)
    for show in (lambda: None, room.asked().close, room.asked().reveal):
        show()
        items = re.findall(r"<li.*?</li>", ballot_main(room, 0, ""))
        places = [re.findall(r'class="line line-(\d)"', item) for item in items]
        assert places == [["2"], ["1"], ["0"], []]


def test_the_lines_on_a_phone_have_the_colours_of_the_charts():
    norms = ("none", "batch", "a", "b", "c", "d")
    light, dark = LIGHT.networks(norms), DARK.networks(norms)
    rules = dict(re.findall(r"\.line-(\d) \{(.*?)\}", (FOLDER / "page.css").read_text()))
    for norm, place in colour_places(norms).items():
        rule = rules.pop(str(place))
        colours = [light[norm].line.lower(), dark[norm].line.lower()]
        assert re.findall("#[0-9a-f]+", rule) == colours
        assert ("dasharray" in rule) is (light[norm].dash != "solid")
    assert rules == {}


def test_a_closed_vote_shows_ones_own_answer_and_no_number(twice: Classroom):
    twice.asked().close()
    text = ballot_main(twice, 1, "")
    assert re.findall(r'<li class="(.*?)">', text) == ["given", "given mine", "given", "given"]
    assert "svg" not in text
    assert "<button" not in text
    assert "Second vote, after the discussion" in text


def facts(page: bytes) -> dict[str, Any]:
    (found,) = re.findall(rb'<script type="application/json" id="page">(.*?)</script>', page)
    return json.loads(found)


def test_a_page_has_the_addresses_of_its_own_class_and_language(room: Classroom):
    page = ballot_page(room, None, "/base", "Trouble <here>")
    told = facts(page)
    assert (told["state"], told["vote"]) == (
        "/base/b/K7QXPM/state?lang=en", "/base/b/K7QXPM/vote?lang=en",
    )  # fmt: skip
    assert told["words"]["sending"] == "Sending {letter} …"
    text = page.decode()
    assert "<title>Vote in K7QXPM · bnviz</title>" in text
    assert '<a href="/base/w/K7QXPM">Watch</a>' in text
    assert "<p>Class <strong>K7QXPM</strong></p>" in text
    assert '<p id="trouble" role="alert">Trouble &lt;here&gt;</p>' in text
    assert '<p id="said" role="status">Tap your answer.</p>' in text
    assert '<html lang="en">' in text


def test_the_page_that_follows_says_where_it_is_and_whether_there_is_a_vote(room: Classroom):
    page = follow_page(room, "/base/lab?run=1&embed=true", "/base")
    told = facts(page)
    assert (told["state"], told["place"]) == (
        "/base/w/K7QXPM/place?lang=en", "/base/lab?run=1&embed=true",
    )  # fmt: skip
    assert set(told["words"]) == {"over", "offline"}
    text = page.decode()
    assert "<title>Following K7QXPM · bnviz</title>" in text
    assert '<header><p>Class <strong>K7QXPM</strong></p><a href="/base/b/K7QXPM">Vote</a>' in text
    assert '<p id="asked" role="status">A question is open. <a href="/base/b/K7QXPM">' in text
    assert '<p id="waiting" hidden>' in text
    assert "src=" in text
    room.asked().close()
    waits = follow_page(room, None, "").decode()
    assert '<p id="asked" role="status" hidden>' in waits
    assert '<p id="waiting">The teacher’s page is shown here when it is open.</p>' in waits
    assert 'title="What is shown in the room" hidden></iframe>' in waits


def test_the_page_to_type_a_code_leads_to_the_ballot():
    text = code_page("/base", "No & no").decode()
    assert '<form action="/base/b" method="get">' in text
    assert '<p id="trouble" role="alert">No &amp; no</p>' in text
    assert "<title>Vote · bnviz</title>" in text


def test_a_room_that_waits_says_that_one_is_in(room: Classroom):
    room.asked().reveal()
    room.drop()
    room.location = TeacherLocation("/lab")
    assert ballot_main(room, None, "") == (
        "<h1>You are in.</h1><p>The question will appear here when the teacher asks it.</p>"
    )
