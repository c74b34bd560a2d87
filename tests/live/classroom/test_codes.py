"""Codes of classes, and limits on guessing them."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest

from bnviz.live.classroom.classrooms import NEVER
from tests.live.classroom.phones import NO_CODE, PAGE, Phone, Teacher, restart


def test_a_code_may_be_typed_in_any_case(teacher: Teacher):
    browser = Phone(teacher.code).browser
    for path in ("/x/b", "/x/b/"):
        assert "Six letters and digits" in browser.get(path, headers=PAGE).text
    typed = browser.get(f"/x/b?code=+{teacher.code[:3].lower()}-{teacher.code[3:]}")
    assert (typed.status_code, typed.headers["location"]) == (303, f"/x/b/{teacher.code}")
    assert browser.get(f"/x/b/{teacher.code.lower()}", headers=PAGE).status_code == 200


def test_what_is_no_code_is_answered_in_a_sentence_typed_or_in_a_link(phone: Phone):
    for path in ("/x/b?code=<b>0", "/x/b/ZZZZZ0", "/x/w/ZZZZZ0"):
        wrong = phone.browser.get(path, headers=PAGE)
        assert wrong.status_code == 400
        assert "A code has 6 letters and digits." in wrong.text
        assert f"It never contains these, because they look alike: {NEVER}." in wrong.text
        assert "must be" not in wrong.text
        # A `pattern` attribute would make the browser show its own message instead.
        assert "pattern=" not in wrong.text
    told = phone.browser.get("/x/b/ZZZZZ0/state").json()
    assert (told["field"], told["value"]) == ("code", "ZZZZZ0")


def test_sixty_wrong_codes_a_minute_and_no_code_of_strangers_is_looked_at(teacher: Teacher):
    guesser = Phone(NO_CODE, "192.0.2.77")
    assert [guesser.open().status_code for _ in range(62)] == [404] * 60 + [429] * 2
    refused = Phone(teacher.code, "192.0.2.77").open()
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert "too many wrong codes" in refused.text.lower()
    assert int(refused.headers["refresh"]) > int(refused.headers["retry-after"])
    # Requests from other addresses are not limited.
    assert Phone(teacher.code).open().status_code == 200


@pytest.mark.parametrize("address", ["192.0.2.1", "192.0.2.2"])
def test_a_right_code_passes_where_the_class_is_whatever_wrong_codes_come_from_there(
    teacher: Teacher, phone: Phone, address: str
):
    """The first address is the teacher's. The second belongs to a phone in the class."""
    guesser = Phone(NO_CODE, address)
    assert [guesser.open().status_code for _ in range(62)] == [404] * 60 + [429] * 2
    assert Phone(teacher.code, address).open().status_code == 200
    assert Phone(teacher.code, address).state().status_code == 200
    assert phone.state().status_code == phone.open().status_code == phone.vote(0).status_code == 200
    # A phone at the same address cannot open any other class.
    elsewhere = Teacher("192.0.2.9").open()
    assert Phone(elsewhere, address).open().status_code == 429


def test_neither_polls_nor_votes_nor_a_teachers_routes_tell_more_codes(teacher: Teacher):
    guesser = Teacher("192.0.2.77")
    tried: list[Callable[[str], httpx2.Response]] = [
        lambda code: guesser.browser.get(f"/x/b/{code}/state"),
        lambda code: guesser.browser.post(f"/x/b/{code}/vote", json={}),
        lambda code: guesser.browser.get(f"/x/w/{code}"),
        lambda code: guesser.browser.get(f"/x/room/{code}"),
    ]
    for look in tried[:3]:
        assert [look(NO_CODE).status_code for _ in range(20)] == [404] * 20
    assert tried[3](NO_CODE).status_code == 404
    for look in tried[:3]:
        assert {look(code).status_code for code in (NO_CODE, teacher.code)} <= {403, 429}
    # After a restart, a page whose class was lost must still get 404, even beyond the limit. To
    # hide from a guesser which codes exist, a right code also gets 404 here.
    assert {tried[3](code).status_code for code in (NO_CODE, teacher.code)} == {404}


def test_classes_are_opened_so_often_from_one_address():
    restart(rooms_per_minute=2)
    found = [Teacher().browser.post("/x/room", json={}).status_code for _ in range(3)]
    assert found == [200, 200, 429]


def test_one_address_has_only_so_many_classes_and_silent_ones_make_room(monkeypatch):
    restart(rooms_per_address=2)
    first, second = Teacher(), Teacher()
    codes = first.open(), second.open()
    refused = Teacher().browser.post("/x/room", json={})
    assert (refused.status_code, refused.json()["phrase"]["key"]) == (
        403, "errors.too_many_rooms_of_network",
    )  # fmt: skip
    assert Teacher("192.0.2.9").open()
    assert first.open() == codes[0], "a teacher who has a class keeps it"
    monkeypatch.setattr("bnviz.live.classroom.classrooms.TEACHER_SILENT_SECONDS", -1.0)
    assert Teacher().open()
    assert second.browser.get(f"/x/room/{codes[1]}").status_code == 404


def test_a_class_that_is_over_is_no_wrong_code(teacher: Teacher, phone: Phone):
    assert teacher.browser.delete(f"/x/room/{teacher.code}").status_code == 204
    for _ in range(15):
        assert phone.state().status_code == 404
    assert teacher.browser.get(f"/x/room/{teacher.code}").status_code == 404
    assert "is over" in phone.open().text


def test_an_address_gets_so_many_ballots_a_minute(teacher: Teacher):
    restart(cookies_per_minute=2)
    teacher.come_back()
    code = teacher.open()
    assert [Phone(code).open().status_code for _ in range(3)] == [200, 200, 429]
    assert teacher.state()["phones"] == 2
