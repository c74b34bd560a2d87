"""Votes over HTTP: which of them count."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter

import httpx2

from tests.live.classroom.phones import OURS, PAGE, QUESTION, Phone, Teacher, app, restart


def test_a_vote_is_counted_once_and_can_be_changed_until_it_is_closed(
    teacher: Teacher, phone: Phone
):
    assert phone.vote(0).json()["mine"] == 0
    assert phone.vote(0).json()["mine"] == 0
    assert "Your answer C is counted" in phone.vote(2).json()["said"]
    state = teacher.state()
    assert (state["phones"], state["question"]["answered"]) == (1, 1)
    assert state["question"]["tally"] is None
    teacher.do("close")
    late = phone.vote(1)
    assert (late.status_code, late.json()["phrase"]["key"]) == (409, "errors.vote_closed")
    assert teacher.tally() == [0, 0, 1, 0]


def test_a_question_that_is_taken_back_leaves_phones_waiting_for_the_next_one(
    teacher: Teacher, phone: Phone
):
    phone.vote(0)
    before = phone.state().json()["open"]["question"]
    assert teacher.do("drop").json()["question"] is None
    told = phone.state().json()
    assert (told["news"], told["open"], told["mine"], told["said"]) == ("", None, None, "")
    said = "The question was taken back.</h1><p>Answers to this question do not count."
    assert said in told["main"]
    assert said in phone.open().text
    assert phone.vote(0, question=before, round=1).status_code == 409
    assert teacher.do("drop").status_code == 200  # there is no question to withdraw
    assert teacher.do("ask", **QUESTION).json()["question"]["id"] != before
    assert phone.vote(1).status_code == 200
    assert teacher.tally() == [0, 1, 0, 0]


def test_after_discussion_both_tallies_are_shown(teacher: Teacher, phone: Phone):
    phone.vote(0)
    asked = teacher.do("again").json()["question"]
    assert asked["round"] == 2
    told = phone.state().json()
    assert (told["mine"], told["said"]) == (None, "Tap your answer.")
    assert told["open"] == {"question": asked["id"], "round": 2}
    assert told["news"] == QUESTION["text"]
    phone.vote(1, round=1)  # a retry of an old vote
    phone.vote(3)
    told = teacher.do("reveal").json()["question"]
    assert (told["first"], told["tally"]) == ([1, 0, 0, 0], [0, 0, 0, 1])
    teacher.do("happened", answers=[3], sentence="None of them broke.")
    page = phone.open().text
    assert "None of them broke." in page
    assert page.count("This happened") == 1
    for judging in ("right", "wrong", "correct"):
        assert judging not in re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)


def test_a_hall_that_votes_at_once_loses_nothing(teacher: Teacher):
    """300 phones open the page, vote, change their votes and retry old votes, all concurrently."""

    async def all_vote() -> list[int]:
        sent = [random.Random(number).choices(range(4), k=3) for number in range(300)]
        await asyncio.gather(*(one(number, votes) for number, votes in enumerate(sent)))
        return [votes[-1] for votes in sent]

    async def one(number: int, votes: list[int]) -> None:
        transport = httpx2.ASGITransport(app, client=("192.0.2.9", number))
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://testserver", headers=OURS
        ) as browser:
            await browser.get(f"/x/b/{teacher.code}", headers=PAGE)
            asked = (await browser.get(f"/x/b/{teacher.code}/state")).json()["open"]
            for n, answer in enumerate(votes):
                body = {**asked, "answer": answer, "page": number, "n": n}
                for _ in range(2):
                    found = await browser.post(f"/x/b/{teacher.code}/vote", json=body)
                    assert found.json()["mine"] == answer

    counts = Counter(asyncio.run(all_vote()))
    assert teacher.state()["phones"] == 300
    assert teacher.tally() == [counts[answer] for answer in range(4)]


def test_without_its_script_the_ballot_is_a_form(teacher: Teacher, phone: Phone):
    page = phone.open().text
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\d+)">', page))
    answer = phone.tap({**fields, "answer": "1"})
    assert (answer.status_code, answer.headers["location"]) == (303, phone.address)
    page = phone.open().text
    assert "Your answer B is counted" in page
    assert re.findall(r'value="(\d)" [^>]*aria-pressed="true"', page) == ["1"]
    teacher.do("close")
    late = phone.tap({**fields, "answer": "0"})
    assert late.status_code == 409
    assert "nothing was counted" in late.text
    assert teacher.tally() == [0, 1, 0, 0]


# Restarts.


def test_without_saved_state_a_class_has_ended_after_a_restart():
    restart(secret="a secret of some length")
    teacher = Teacher()
    code = teacher.open()
    teacher.do("ask", **QUESTION)
    phones = [Phone(code, f"192.0.2.{50 if number else 51}") for number in range(20)]
    for phone in phones:
        assert phone.open().status_code == 200
    restart(secret="a secret of some length", wrong_codes_per_minute=10)
    # All phones poll from the same address, so each gets 404 or, because of the limit per address,
    # 429.
    assert {phone.state().status_code for phone in phones} == {404, 429}
    assert teacher.state()["phrase"]["key"] == "errors.no_such_room"
    assert teacher.open() != code
    assert teacher.state()["question"] is None
