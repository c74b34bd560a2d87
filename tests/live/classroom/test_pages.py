"""Pages sent to phones and teachers."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import bnviz.words.texts
from bnviz.live.classroom.ballot_cookie import COOKIE
from bnviz.live.classroom.classrooms import NEVER
from bnviz.live.web.owner import COOKIE as OWNER_COOKIE
from bnviz.words.filling import capitalized
from bnviz.words.joining import percent, sentences
from bnviz.words.texts import languages, text
from tests.live.classroom.phones import (
    MOST_BYTES,
    NO_CODE,
    OF_THE_APP,
    OURS,
    OUTCOME,
    PAGE,
    QUESTION,
    Phone,
    Teacher,
)
from tests.made_up_language import CODE, write_language


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
    # If the address does not name the page's run, the server adds it.
    place = {"address": "/lessons?lesson=exploding", "run": run}
    teacher.browser.put(f"/x/room/{teacher.code}/place", json=place)
    wanted = f"/x/lessons?lesson=exploding&run={run}&embed=true"
    assert phone.browser.get(f"/x/w/{teacher.code}/place").json()["place"] == wanted
    follow = phone.browser.get(f"/x/w/{teacher.code}", headers=PAGE)
    assert f'src="{html.escape(wanted)}"' in follow.text
    assert len(follow.content) < MOST_BYTES
    assert "frame-src 'self'" in follow.headers["content-security-policy"]


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
    for page in (phone.open().text, phone.state().json()["main"]):
        assert evil not in page
        assert html.escape(evil) in page
        for tag in ("<b>A", "<i>", "<img"):
            assert tag not in page
    policy = phone.open().headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_every_word_is_in_the_phones_language(
    teacher: Teacher, phone: Phone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_language(tmp_path)
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    paths = [f"/x/b?lang={CODE}", f"/x/b/{NO_CODE}?lang={CODE}", f"/x/w/{teacher.code}?lang={CODE}"]
    pages = [phone.browser.get(path).text for path in paths]
    own = f"{phone.address}?lang={CODE}"
    for act, body in (
        ("ask", OF_THE_APP), ("close", {}), ("again", {}), ("reveal", {}), ("happened", OUTCOME),
    ):  # fmt: skip
        assert teacher.do(act, **body).status_code == 200
        pages.append(phone.browser.get(own).text)
        body = {"question": 0, "round": 1, "answer": 0}
        refused = phone.browser.post(f"{phone.address}/vote?lang={CODE}", json=body, headers=OURS)
        pages.append(refused.json()["message"])
    for page in pages:
        page = page.replace(NEVER, "")
        # Remove the links to other languages, because each is labelled in its own language.
        page = re.sub(r"<a [^>]*hreflang=[^>]*>[^<]*</a>", " ", page)
        seen = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
        left = re.findall(r"\b[A-Za-z]{3,}\b", html.unescape(seen))
        assert not set(left) - {teacher.code, NO_CODE}, page
        assert f'lang="{CODE}"' in page or "<" not in page


def test_a_phone_chooses_its_own_language(teacher: Teacher, phone: Phone):
    teacher.do("ask", **QUESTION)
    page = phone.browser.get(phone.address, headers={"accept-language": "ja,en;q=0.5"}).text
    assert '<html lang="ja">' in page
    links = re.findall(r'<a href="([^"]+)" lang="([^"]+)" hreflang="\2">([^<]+)</a>', page)
    assert links == [
        (f"{phone.address}?lang={code}", code, languages()[code]) for code in ("en", "zh-Hans")
    ]
    chosen = phone.browser.get(links[1][0], headers={"accept-language": "ja"}).text
    assert '<html lang="zh-Hans">' in chosen


@pytest.mark.parametrize("code", languages())
def test_an_english_class_is_asked_and_told_in_the_language_of_each_phone(
    teacher: Teacher, phone: Phone, code: str
):
    asked, none = text("class.ask.breaks", code), capitalized(text("norms.none.network", code))
    broke = text("class.happened.broke", code).format(
        label=text("norms.batch.network", code), step="12\u202f156"
    )
    chance = text("class.happened.chance", code).format(share=percent("10", code))
    told = sentences([capitalized(broke), capitalized(chance)], code)

    def page() -> tuple[str, str]:
        state = phone.state(**{"accept-language": code}).json()
        (said,) = re.findall(r'<h1 dir="auto">(.*?)</h1>', state["main"])
        assert state["main"] in phone.open(code).text
        assert state["news"] == (said if state["open"] else "")
        return said, state["main"]

    teacher.do("ask", **OF_THE_APP)
    for act in ("close", "again", "reveal"):
        said, main = page()
        assert said == asked
        assert f">{none}</span>" in main
        teacher.do(act)
    teacher.do("happened", **OUTCOME)
    assert f">{told}</p>" in page()[1]
    # A question that the teacher typed is shown unchanged.
    teacher.do("ask", **QUESTION)
    said, main = page()
    assert said == QUESTION["text"]
    assert all(f">{answer}</span>" in main for answer in QUESTION["answers"])


def test_a_phone_that_has_everything_is_told_just_that(teacher: Teacher, phone: Phone):
    tag = phone.state().headers["etag"]
    assert phone.state(**{"if-none-match": tag}).status_code == 304
    other = Phone(teacher.code)
    other.open()
    other.vote(1)  # another phone's vote does not change this phone's state
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


def test_the_server_tells_how_many_classes_there_are_and_of_none_its_code(
    teacher: Teacher, phone: Phone
):
    told = phone.browser.get("/x/status")
    assert (told.json()["rooms"], told.json()["ballots"], told.json()["phones"]) == (1, 1, 1)
    assert teacher.code not in told.text
