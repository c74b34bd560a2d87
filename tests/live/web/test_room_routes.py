"""A class over HTTP: its teacher, its phones, and whoever is neither."""

from __future__ import annotations

import asyncio
import html
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import bnviz.texts
from bnviz.live import current_hub, install_hub
from bnviz.live.hub.hub import Hub
from bnviz.live.hub.rooms import ALPHABET
from bnviz.live.settings import Settings
from bnviz.live.web.app_parts import middleware, routes
from bnviz.live.web.ballot_cookie import COOKIE
from bnviz.live.web.owner import COOKIE as OWNER_COOKIE
from bnviz.live.web.owner import Issuer, install_issuer, issuer
from bnviz.live.web.signature import Signer
from tests.made_up_language import CODE, write_language

OURS = {"origin": "http://testserver"}
PAGE = {"accept": "text/html,*/*", "sec-fetch-dest": "document"}
QUESTION = {"text": "Which one breaks?", "answers": ["Without BN", "With BN", "Both", "None"]}
MOST_BYTES = 20 * 1024
NO_CODE = "QQQQQQ"

app = Starlette(routes=routes("/x"), middleware=middleware)


def restart(**limits: Any) -> None:
    """As the server starts: nothing is known of what was. No run is needed here, so no worker."""
    settings = Settings(**{"workers": 1, "secret": "a secret of some length", **limits})
    install_hub(Hub(settings))
    install_issuer(Issuer(settings))


@pytest.fixture(autouse=True)
def server() -> Iterator[None]:
    before = install_hub(None), install_issuer(None)
    restart()
    yield
    install_hub(before[0])
    install_issuer(before[1])


class Teacher:
    """A teacher's page."""

    def __init__(self, address: str = "192.0.2.1") -> None:
        self.browser = TestClient(app, headers=OURS, client=(address, 5000))
        self.come_back()

    def come_back(self) -> None:
        self.browser.cookies.set(OWNER_COOKIE, issuer().signer.new())

    def open(self, **body: str) -> str:
        found = self.browser.post("/x/room", json=body)
        assert found.status_code == 200, found.text
        self.code = found.json()["code"]
        return self.code

    def do(self, act: str, **body: object) -> httpx2.Response:
        return self.browser.post(f"/x/room/{self.code}/{act}", json=body)

    def state(self) -> dict:
        return self.browser.get(f"/x/room/{self.code}").json()

    def tally(self) -> list[int]:
        return self.do("reveal").json()["question"]["tally"]


class Phone:
    """A ballot in a browser."""

    def __init__(self, code: str, address: str = "192.0.2.2") -> None:
        self.browser = TestClient(app, client=(address, 5000), follow_redirects=False)
        self.address = f"/x/b/{code}"

    def open(self) -> httpx2.Response:
        return self.browser.get(self.address, headers=PAGE)

    def state(self, **headers: str) -> httpx2.Response:
        return self.browser.get(f"{self.address}/state", headers=headers)

    def vote(self, answer: object, headers: dict = OURS, **changed: object) -> httpx2.Response:
        asked = current_hub().rooms.find(self.address[-6:]).question
        now = {"question": asked.id, "round": asked.round} if asked else {}
        body = {**now, "answer": answer, **changed}
        return self.browser.post(f"{self.address}/vote", json=body, headers=headers)

    def tap(self, form: dict, headers: dict = OURS) -> httpx2.Response:
        """What a page without its script sends."""
        return self.browser.post(f"{self.address}/vote", data=form, headers={**PAGE, **headers})


@pytest.fixture
def teacher() -> Teacher:
    teacher = Teacher()
    teacher.open()
    assert teacher.do("ask", **QUESTION).status_code == 200
    return teacher


@pytest.fixture
def phone(teacher: Teacher) -> Phone:
    phone = Phone(teacher.code)
    assert phone.open().status_code == 200
    return phone


# What counts.


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


def test_after_discussion_both_tallies_are_shown(teacher: Teacher, phone: Phone):
    phone.vote(0)
    assert teacher.do("again").json()["question"]["round"] == 2
    assert phone.state().json()["mine"] is None
    phone.vote(1, round=1)  # an old one, tried again
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
    """300 phones open, vote, change their minds and send again what was on its way, all at once."""

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
    assert re.findall(r'value="(\d)" aria-pressed="true"', page) == ["1"]
    teacher.do("close")
    late = phone.tap({**fields, "answer": "0"})
    assert late.status_code == 409
    assert "nothing was counted" in late.text
    assert teacher.tally() == [0, 1, 0, 0]


# What counts nowhere.


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"answer": 4}, "answer"), ({"answer": -1}, "answer"), ({"answer": True}, "answer"),
        ({"answer": "A"}, "answer"), ({"answer": 1.0}, "answer"), ({"answer": None}, "answer"),
        ({"question": None}, "question"), ({"round": "9" * 500}, "round"),
        ({"page": 1}, "n"), ({"page": 1, "n": 2**53 + 1}, "n"), ({"filler": "x" * 2000}, "body"),
    ],
)  # fmt: skip
def test_a_malformed_vote_counts_nowhere(teacher: Teacher, phone: Phone, body: dict, field: str):
    refused = phone.vote(**{"answer": 0, **body})
    assert refused.status_code == 400
    said = refused.json()
    assert (said["type"], said["field"]) == ("error", field)
    assert said["allowed"]
    assert said["message"]
    assert teacher.tally() == [0, 0, 0, 0]


@pytest.mark.parametrize("content", [b"[]", b"{", b"\xff", b'{"answer": "\\ud800"}', b"0", b""])
def test_what_is_no_vote_counts_nowhere(teacher: Teacher, phone: Phone, content: bytes):
    for kind in ("application/json", "application/x-www-form-urlencoded", "text/plain", ""):
        headers = {**OURS, "content-type": kind}
        found = phone.browser.post(f"{phone.address}/vote", content=content, headers=headers)
        assert found.status_code == 400
    assert teacher.tally() == [0, 0, 0, 0]


@pytest.mark.parametrize("cookie", [None, "x", Signer().new(), "owner"])
def test_who_has_no_ballot_of_ours_votes_nowhere(teacher: Teacher, phone: Phone, cookie: str):
    phone.browser.cookies.clear()
    if cookie is not None:
        # The cookie that controls runs is no ballot, though the same server signed it.
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


# Who may ask.


def test_a_class_is_its_teachers_alone(teacher: Teacher, phone: Phone):
    stranger = Teacher("192.0.2.7")
    stranger.code = teacher.code
    for act in ("ask", "again", "close", "reveal", "hands", "happened"):
        assert stranger.do(act, **QUESTION).status_code == 403
    assert stranger.browser.get(f"/x/room/{teacher.code}").status_code == 403
    assert stranger.browser.delete(f"/x/room/{teacher.code}").status_code == 403
    stranger.browser.cookies.clear()
    assert stranger.browser.post("/x/room", json={}).status_code == 403
    assert phone.browser.get(f"/x/room/{teacher.code}").status_code == 403
    assert teacher.state()["question"]["status"] == "open"


@pytest.mark.parametrize(
    ("act", "body", "field"),
    [
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
    ],
)  # fmt: skip
def test_what_a_teachers_page_sends_is_checked(teacher: Teacher, act: str, body: dict, field: str):
    before = teacher.state()
    refused = teacher.do(act, **body)
    assert (refused.status_code, refused.json()["field"]) == (400, field)
    assert teacher.state() == before


@pytest.mark.parametrize(
    "address",
    [
        "http://elsewhere.example/", "//elsewhere.example/lab", "/\\elsewhere", "javascript:x",
        "lab", "", "/lab/../x", "/b/K7QXPM", "/w/K7QXPM", "/lab?x=\n", "/lab?" + "x" * 2000, None,
    ],
)  # fmt: skip
def test_a_class_is_led_to_pages_of_this_app_alone(teacher: Teacher, address: str):
    found = teacher.browser.put(f"/x/room/{teacher.code}/place", json={"address": address})
    assert (found.status_code, found.json()["field"]) == (400, "address")
    place = {"address": "/lab", "run": address or 7}
    found = teacher.browser.put(f"/x/room/{teacher.code}/place", json=place)
    assert (found.status_code, found.json()["field"]) == (400, "run")


def test_the_page_that_follows_shows_the_teachers_run_to_be_watched(teacher: Teacher, phone: Phone):
    follow = phone.browser.get(f"/x/w/{teacher.code}", headers=PAGE)
    assert "src=" not in follow.text
    run = "0f" * 16
    query = f"run={run}&preset=spirals&depth=3&present=1&charts=drift,saturation"
    for address in (f"/x/lab?{query}", f"/lab?{query}"):
        teacher.browser.put(f"/x/room/{teacher.code}/place", json={"address": address})
        wanted = f"/x/lab?run={run}&preset=spirals&charts=drift,saturation&embed=true"
        told = phone.browser.get(f"/x/w/{teacher.code}/place").json()
        assert told == {"place": wanted, "asked": True}
    # An address that does not name its page's run is told of it.
    place = {"address": "/lessons?lesson=exploding", "run": run}
    teacher.browser.put(f"/x/room/{teacher.code}/place", json=place)
    wanted = f"/x/lessons?lesson=exploding&run={run}&embed=true"
    assert phone.browser.get(f"/x/w/{teacher.code}/place").json()["place"] == wanted
    follow = phone.browser.get(f"/x/w/{teacher.code}", headers=PAGE)
    assert f'src="{html.escape(wanted)}"' in follow.text
    assert len(follow.content) < MOST_BYTES
    assert "frame-src 'self'" in follow.headers["content-security-policy"]


# Codes.


def test_a_code_may_be_typed_in_any_case(teacher: Teacher):
    browser = Phone(teacher.code).browser
    for path in ("/x/b", "/x/b/"):
        assert "Six characters" in browser.get(path, headers=PAGE).text
    typed = browser.get(f"/x/b?code=+{teacher.code[:3].lower()}-{teacher.code[3:]}")
    assert (typed.status_code, typed.headers["location"]) == (303, f"/x/b/{teacher.code}")
    wrong = browser.get("/x/b?code=<b>0", headers=PAGE)
    assert wrong.status_code == 400
    assert ALPHABET in wrong.text
    assert browser.get(f"/x/b/{teacher.code.lower()}", headers=PAGE).status_code == 200


def test_ten_wrong_codes_a_minute_and_no_code_is_looked_at(teacher: Teacher, phone: Phone):
    guesser = Phone(NO_CODE)
    assert [guesser.open().status_code for _ in range(12)] == [404] * 10 + [429] * 2
    refused = Phone(teacher.code).open()
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert "too many wrong codes" in refused.text.lower()
    assert int(refused.headers["refresh"]) > int(refused.headers["retry-after"])
    # Whoever is in the class already goes on, and other addresses are not concerned.
    assert phone.state().status_code == phone.open().status_code == phone.vote(0).status_code == 200
    assert Phone(teacher.code, "192.0.2.77").open().status_code == 200


def test_neither_polls_nor_votes_nor_a_teachers_routes_tell_more_codes(teacher: Teacher):
    guesser = Teacher("192.0.2.2")
    tried: list[Callable[[str], httpx2.Response]] = [
        lambda code: guesser.browser.get(f"/x/b/{code}/state"),
        lambda code: guesser.browser.post(f"/x/b/{code}/vote", json={}),
        lambda code: guesser.browser.get(f"/x/w/{code}"),
        lambda code: guesser.browser.get(f"/x/room/{code}"),
    ]
    for look in tried[:3]:
        assert [look(NO_CODE).status_code for _ in range(3)] == [404] * 3
    assert tried[3](NO_CODE).status_code == 404
    for look in tried[:3]:
        assert {look(code).status_code for code in (NO_CODE, teacher.code)} <= {403, 429}
    # A page whose class was lost in a restart must still hear that; of others it hears nothing.
    assert {tried[3](code).status_code for code in (NO_CODE, teacher.code)} == {404}


def test_classes_are_opened_so_often_from_one_address():
    restart(rooms_per_minute=2)
    found = [Teacher().browser.post("/x/room", json={}).status_code for _ in range(3)]
    assert found == [200, 200, 429]


def test_a_class_that_is_over_is_no_wrong_code(teacher: Teacher, phone: Phone):
    assert teacher.browser.delete(f"/x/room/{teacher.code}").status_code == 204
    for _ in range(15):
        over = phone.state()
        assert (over.status_code, over.json()["gone"]) == (404, True)
    assert teacher.browser.get(f"/x/room/{teacher.code}").status_code == 404
    assert "is over" in phone.open().text


# Restarts.


@pytest.mark.parametrize("secret", ["", "a secret of some length"])
def test_after_a_restart_everybody_hears_it_and_the_same_code_goes_on(secret: str):
    restart(secret=secret)
    teacher = Teacher()
    code, server = teacher.open(), teacher.browser.post("/x/room", json={}).json()["server"]
    teacher.do("ask", **QUESTION)
    phones = [Phone(code, f"192.0.2.{50 if number else 51}") for number in range(20)]
    for phone in phones:
        assert phone.open().status_code == 200
    phones[0].vote(0)
    restart(secret=secret)
    # All of them look for news, from one address: each is told that nothing is known, or to wait.
    assert {phone.state().status_code for phone in phones} == {404, 429}
    if not secret:
        teacher.come_back()  # its page was given another cookie
    assert teacher.state()["phrase"]["key"] == "errors.no_such_room"
    again = teacher.browser.post("/x/room", json={"code": code}).json()
    assert again["code"] == code
    assert again["server"] != server
    assert teacher.state()["question"] is None
    teacher.do("ask", **QUESTION)
    state = phones[0].state().json()
    assert (state["server"], state["mine"]) == (again["server"], None)
    assert phones[0].vote(2).json()["mine"] == 2
    assert teacher.tally() == [0, 0, 1, 0]


# What is sent.


def test_the_ballot_is_whole_and_small_whatever_is_asked(teacher: Teacher, phone: Phone):
    asked = {"text": "“" * 140, "answers": ["é<&" * 16] * 4}
    for act, body in (
        ("ask", asked), ("close", {}), ("again", {}), ("reveal", {}),
        ("happened", {"answers": [0, 1, 2, 3], "sentence": "&" * 200}),
    ):  # fmt: skip
        assert teacher.do(act, **body).status_code == 200
        page = phone.open()
        assert len(page.content) <= MOST_BYTES
        assert not re.search(r'<(?:link|script|img|iframe)[^>]*(?:href|src)="(?!data:)', page.text)


def test_markup_in_a_question_is_shown_as_text(teacher: Teacher, phone: Phone):
    evil = '</script><script>x()</script><img src=x onerror="x()">'
    teacher.do("ask", text=evil, answers=["<b>A</b>", '"><i>'])
    teacher.do("reveal")
    teacher.do("happened", answers=[0], sentence=evil)
    for text in (phone.open().text, phone.state().json()["main"]):
        assert evil not in text
        assert html.escape(evil) in text
        for tag in ("<b>A", "<i>", "<img"):
            assert tag not in text
    policy = phone.open().headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_every_word_is_in_the_phones_language(
    teacher: Teacher, phone: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_language(tmp_path)
    monkeypatch.setattr(bnviz.texts, "FOLDER", tmp_path)
    asked = {word for text in (QUESTION["text"], *QUESTION["answers"]) for word in text.split()}
    paths = [f"/x/b?lang={CODE}", f"/x/b/{NO_CODE}?lang={CODE}", f"/x/w/{teacher.code}?lang={CODE}"]
    pages = [phone.browser.get(path).text for path in paths]
    own = f"{phone.address}?lang={CODE}"
    for act, body in (
        ("ask", QUESTION), ("close", {}), ("again", {}), ("reveal", {}),
        ("happened", {"answers": [0], "sentence": QUESTION["text"]}),
    ):  # fmt: skip
        assert teacher.do(act, **body).status_code == 200
        pages.append(phone.browser.get(own).text)
        body = {"question": 0, "round": 1, "answer": 0}
        refused = phone.browser.post(f"{phone.address}/vote?lang={CODE}", json=body, headers=OURS)
        pages.append(refused.json()["message"])
    for page in pages:
        seen = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
        left = re.findall(r"\b[A-Za-z]{3,}\b", html.unescape(seen))
        assert not set(left) - asked - {"Which", "breaks", teacher.code, NO_CODE, ALPHABET}, page
        assert f'lang="{CODE}"' in page or "<" not in page


def test_a_phone_that_has_everything_is_told_just_that(teacher: Teacher, phone: Phone):
    tag = phone.state().headers["etag"]
    assert phone.state(**{"if-none-match": tag}).status_code == 304
    other = Phone(teacher.code)
    other.open()
    other.vote(1)  # another's vote is no news
    assert phone.state(**{"if-none-match": tag}).status_code == 304
    mine = phone.vote(1).headers["etag"]
    assert mine != tag
    assert phone.state(**{"if-none-match": mine}).status_code == 304
    teacher.do("close")
    assert phone.state(**{"if-none-match": mine}).status_code == 200
    tag = teacher.browser.get(f"/x/room/{teacher.code}").headers["etag"]
    path = f"/x/room/{teacher.code}"
    assert teacher.browser.get(path, headers={"if-none-match": tag}).status_code == 304


def test_a_ballots_cookie_is_its_own_and_comes_back_with_a_scanned_link(
    teacher: Teacher, phone: Phone
):
    first = Phone(teacher.code).open()
    cookie = first.headers["set-cookie"]
    assert OWNER_COOKIE not in cookie
    for word in (f"{COOKIE}=", "HttpOnly", "SameSite=Lax"):
        assert word in cookie
    assert "set-cookie" not in phone.open().headers
    assert "set-cookie" not in phone.browser.get(f"/x/w/{teacher.code}", headers=PAGE).headers


def test_an_address_gets_so_many_ballots_a_minute(teacher: Teacher):
    restart(cookies_per_minute=2)
    teacher.come_back()
    code = teacher.open()
    assert [Phone(code).open().status_code for _ in range(3)] == [200, 200, 429]
    assert teacher.state()["phones"] == 2


def test_the_server_tells_how_many_classes_there_are_and_of_none_its_code(
    teacher: Teacher, phone: Phone
):
    told = phone.browser.get("/x/status")
    assert (told.json()["rooms"], told.json()["ballots"], told.json()["phones"]) == (1, 1, 1)
    assert teacher.code not in told.text


def test_only_who_sits_at_the_server_is_told_its_address_in_the_network():
    here = Teacher("127.0.0.1")
    here.browser.headers["origin"] = "http://localhost:8501"
    here.browser.base_url = "http://localhost:8501"
    for headers, told in (({}, True), ({"x-forwarded-for": "192.0.2.1"}, False)):
        hint = here.browser.post("/x/room", json={}, headers=headers).json()["host_hint"]
        assert hint is None or told
        assert hint is None or re.fullmatch(r"[\d.]+:8501", hint)
    assert Teacher().browser.post("/x/room", json={}).json()["host_hint"] is None
