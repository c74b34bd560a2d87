"""Votes that do not count, and requests that a class accepts only from its teacher."""

from __future__ import annotations

import itertools

import pytest

from bnviz.live.classroom.ballot_cookie import COOKIE
from bnviz.live.web.cookies import Signer
from bnviz.live.web.owner import issuer
from tests.live.classroom.phones import OURS, QUESTION, Phone, Teacher, restart


def test_a_malformed_vote_counts_nowhere(teacher: Teacher, phone: Phone):
    cases = [
        ({"answer": 4}, "answer"), ({"answer": -1}, "answer"), ({"answer": True}, "answer"),
        ({"answer": "A"}, "answer"), ({"answer": 1.0}, "answer"), ({"answer": None}, "answer"),
        ({"question": None}, "question"), ({"round": "9" * 500}, "round"),
        ({"page": 1}, "n"), ({"page": 1, "n": 2**53 + 1}, "n"), ({"filler": "x" * 2000}, "body"),
    ]  # fmt: skip
    wrong = []
    for body, field in cases:
        refused = phone.vote(**{"answer": 0, **body})
        said = refused.json()
        told = (refused.status_code, said.get("type"), said.get("field"))
        words = said.get("allowed") and said.get("message")
        if told != (400, "error", field) or not words or teacher.tally() != [0, 0, 0, 0]:
            wrong.append((body, field, said, teacher.tally()))
    assert not wrong


def test_what_is_no_vote_counts_nowhere(teacher: Teacher, phone: Phone):
    contents = (b"[]", b"{", b"\xff", b'{"answer": "\\ud800"}', b"0", b"")
    kinds = ("application/json", "application/x-www-form-urlencoded", "text/plain", "")
    wrong = []
    for content, kind in itertools.product(contents, kinds):
        headers = {**OURS, "content-type": kind}
        found = phone.browser.post(f"{phone.address}/vote", content=content, headers=headers)
        if found.status_code != 400 or teacher.tally() != [0, 0, 0, 0]:
            wrong.append((content, kind, found.status_code, teacher.tally()))
    assert not wrong


def test_lists_within_lists_are_refused(teacher: Teacher):
    path, headers = f"/x/room/{teacher.code}/ask", {"content-type": "application/json"}
    fields = {1000: "body", 33: "body", 20: "text"}
    for levels, field in fields.items():
        content = f'{{"answers": ["a", "b"], "text": {"[" * levels}{"]" * levels}}}'.encode()
        refused = teacher.browser.post(path, content=content, headers=headers)
        assert (levels, refused.status_code, refused.json()["field"]) == (levels, 400, field)
        assert teacher.tally() == [0, 0, 0, 0]


@pytest.mark.parametrize("cookie", [None, "x", Signer().new(), "owner"])
def test_who_has_no_ballot_of_ours_votes_nowhere(teacher: Teacher, phone: Phone, cookie: str):
    phone.browser.cookies.clear()
    if cookie is not None:
        # The owner cookie is not a valid ballot, although the same server signed it.
        value = issuer().signer.new() if cookie == "owner" else cookie
        phone.browser.cookies.set(COOKIE, value)
    refused = phone.vote(0)
    assert (refused.status_code, refused.json()["phrase"]["key"]) == (
        403, "errors.ballot_needs_cookie",
    )  # fmt: skip
    assert teacher.tally() == [0, 0, 0, 0]


def test_a_ballot_of_another_class_votes_nowhere_until_it_comes_in(teacher: Teacher):
    other = Teacher()
    elsewhere = Phone(other.open())
    elsewhere.open()
    elsewhere.address = f"/x/b/{teacher.code}"
    assert elsewhere.vote(0).json()["phrase"]["key"] == "errors.not_in_room"
    elsewhere.state()
    assert elsewhere.vote(0).status_code == 200
    assert teacher.tally() == [1, 0, 0, 0]


@pytest.mark.parametrize("origin", ["http://elsewhere.example", "null", "", None])
def test_another_sites_page_votes_and_asks_nowhere(teacher: Teacher, phone: Phone, origin: str):
    forged = {} if origin is None else {"origin": origin}
    assert phone.vote(0, forged).status_code == 403
    assert phone.tap({"answer": "0"}, forged).status_code == 403
    teacher.browser.headers.pop("origin")
    browser, path = teacher.browser, f"/x/room/{teacher.code}"
    for found in (
        browser.post("/x/room", json={}, headers=forged),
        browser.post(f"{path}/ask", json=QUESTION, headers=forged),
        browser.put(f"{path}/place", json={"address": "/lab"}, headers=forged),
        browser.delete(path, headers=forged),
    ):
        assert found.status_code == 403
        assert found.json()["phrase"]["key"] == "errors.other_site"
    assert teacher.state()["question"]["answered"] == 0


def test_one_address_does_not_keep_a_class_full(teacher: Teacher):
    restart(ballots_per_room=4)
    teacher.open()
    teacher.do("ask", **QUESTION)
    many = [Phone(teacher.code, "192.0.2.77") for _ in range(5)]
    assert [phone.state().status_code for phone in many] == [200] * 4 + [403]
    students = [Phone(teacher.code, f"192.0.2.{number}") for number in (50, 51, 52)]
    assert [phone.open().status_code for phone in students] == [200] * 3
    assert [phone.vote(0).status_code for phone in students] == [200] * 3
    seen = [phone.state().status_code for phone in (*many, *students)]
    assert seen == [403] * 3 + [200, 403] + [200] * 3
    assert many[0].vote(1).json()["phrase"]["key"] == "errors.not_in_room"
    assert teacher.tally() == [3, 0, 0, 0]


# Permissions.


def test_a_class_is_its_teachers_alone(teacher: Teacher, phone: Phone):
    stranger = Teacher("192.0.2.7")
    stranger.code = teacher.code
    for act in ("ask", "again", "close", "reopen", "drop", "reveal", "hands", "happened"):
        assert stranger.do(act, **QUESTION).status_code == 403
    assert stranger.browser.get(f"/x/room/{teacher.code}").status_code == 403
    assert stranger.browser.delete(f"/x/room/{teacher.code}").status_code == 403
    stranger.browser.cookies.clear()
    assert stranger.browser.post("/x/room", json={}).status_code == 403
    assert phone.browser.get(f"/x/room/{teacher.code}").status_code == 403
    assert teacher.state()["question"]["status"] == "open"


def test_what_a_teachers_page_sends_is_checked(teacher: Teacher):
    cases = [
        ("ask", {**QUESTION, "text": ""}, "text"), ("ask", {**QUESTION, "text": "x" * 141}, "text"),
        ("ask", {**QUESTION, "text": "a\u202eb"}, "text"), ("ask", {**QUESTION, "text": 1}, "text"),
        ("ask", {**QUESTION, "answers": ["one"]}, "answers"),
        ("ask", {**QUESTION, "answers": list("abcde")}, "answers"),
        ("ask", {**QUESTION, "answers": ["a", "x" * 49]}, "answers"),
        ("ask", {**QUESTION, "answers": ["a", None]}, "answers"), ("ask", {}, "text"),
        ("hands", {"counts": [1, 2]}, "counts"), ("hands", {"counts": [1, 2, 3, -1]}, "counts"),
        ("hands", {"counts": [1, 2, 3, 1001]}, "counts"), ("hands", {}, "counts"),
        ("happened", {"answers": [4], "sentence": "It broke."}, "answers"),
        ("happened", {"answers": "A", "sentence": "It broke."}, "answers"),
        ("happened", {"answers": None, "sentence": "x" * 201}, "sentence"),
    ]  # fmt: skip
    before, wrong = teacher.state(), []
    for act, body, field in cases:
        refused = teacher.do(act, **body)
        told = (refused.status_code, refused.json().get("field"))
        if told != (400, field) or teacher.state() != before:
            wrong.append((act, body, field, told))
    assert not wrong


def test_a_class_is_led_to_pages_of_this_app_alone(teacher: Teacher):
    addresses = [
        "http://elsewhere.example/", "//elsewhere.example/lab", "/\\elsewhere", "javascript:x",
        "lab", "", "/lab/../x", "/b/K7QXPM", "/w/K7QXPM", "/lab?x=\n", "/lab?" + "x" * 2000, None,
    ]  # fmt: skip
    path, wrong = f"/x/room/{teacher.code}/place", []
    for address in addresses:
        places = {"address": {"address": address}, "run": {"address": "/lab", "run": address or 7}}
        for field, place in places.items():
            found = teacher.browser.put(path, json=place)
            if (found.status_code, found.json().get("field")) != (400, field):
                wrong.append((place, found.status_code, found.json()))
    assert not wrong
