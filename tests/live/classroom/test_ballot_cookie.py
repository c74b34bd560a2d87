"""The cookie of a phone's ballot: its owner, its lifetime and its Secure flag."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from bnviz.live import current_hub
from bnviz.live.classroom.ballot_cookie import COOKIE
from bnviz.live.web.owner import COOKIE as OWNER_COOKIE
from bnviz.live.web.owner import issuer
from tests.live.classroom.phones import PAGE, Phone, Teacher, app, restart

WEEKS_17 = 120 * 24 * 60 * 60  # seconds: a term
OVER_HTTPS = {**PAGE, "x-forwarded-proto": "https"}


def attributes(cookie: str) -> tuple[str, str, set[str]]:
    """Return the name, the value and the attributes of a cookie."""
    pair, *rest = cookie.split("; ")
    name, _, value = pair.partition("=")
    return name, value, set(rest)


def given(code: str, headers: dict[str, str], *, base: str = "http://testserver") -> set[str]:
    """Return the attributes of the cookie that a new phone receives."""
    browser = TestClient(app, client=("192.0.2.2", 5000), base_url=base)
    return attributes(browser.get(f"/x/b/{code}", headers=headers).headers["set-cookie"])[2]


def test_it_is_a_name_of_its_own_that_lasts_for_a_term_and_comes_back_with_a_scanned_link(
    teacher: Teacher, phone: Phone
):
    name, value, rest = attributes(Phone(teacher.code).open().headers["set-cookie"])
    assert name == COOKIE == "bnviz_ballot" != OWNER_COOKIE
    assert rest == {"Path=/", f"Max-Age={WEEKS_17}", "HttpOnly", "SameSite=Lax"}
    ballots = current_hub().classrooms.ballots
    assert ballots.ballot_in(Headers({"cookie": f"{COOKIE}={value}"})) == value.partition(".")[0]
    # The cookie is set once: with the page, or in the response to its script's request. The page
    # for watching does not set a cookie.
    assert "set-cookie" not in phone.open().headers
    assert "set-cookie" not in phone.state().headers
    assert "set-cookie" not in Phone(teacher.code).browser.get(f"/x/w/{teacher.code}").headers
    assert attributes(Phone(teacher.code).state().headers["set-cookie"])[0] == COOKIE


def test_every_phone_gets_another_name(teacher: Teacher):
    values = [attributes(Phone(teacher.code).open().headers["set-cookie"])[1] for _ in range(3)]
    assert len(set(values)) == 3


def test_over_https_it_stays_on_https(teacher: Teacher):
    assert "Secure" in given(teacher.code, PAGE, base="https://testserver")
    assert "Secure" not in given(teacher.code, PAGE)


@pytest.mark.parametrize(
    ("trusted", "headers", "secure"),
    [
        ("", OVER_HTTPS, False), ("198.51.100.0/24", OVER_HTTPS, False),
        ("192.0.2.0/24", OVER_HTTPS, True), ("192.0.2.0/24", PAGE, False),
        ("192.0.2.0/24", {**PAGE, "x-forwarded-proto": "http"}, False),
    ],
)  # fmt: skip
def test_only_a_listed_proxy_says_that_a_phone_came_over_https(trusted, headers, secure):
    restart(trusted_proxies=trusted)
    teacher = Teacher()
    code = teacher.open()
    assert ("Secure" in given(code, headers)) is secure
    # If the proxy is in the list of trusted proxies, its header counts even if the proxy itself
    # connects over HTTPS.
    plain = {**PAGE, "x-forwarded-proto": "http"}
    listed = trusted.startswith("192")
    assert ("Secure" in given(code, plain, base="https://testserver")) is not listed
    # Without the header, the scheme of the connection counts.
    assert "Secure" in given(code, PAGE, base="https://testserver")


def test_over_https_it_is_of_this_host_alone_and_the_old_name_is_read(teacher: Teacher):
    browser = TestClient(app, client=("192.0.2.2", 5000), base_url="https://testserver")
    cookie = browser.get(f"/x/b/{teacher.code}", headers=PAGE).headers["set-cookie"]
    name, value, _ = attributes(cookie)
    assert name == f"__Host-{COOKIE}"
    ballots = current_hub().classrooms.ballots
    for known in (name, COOKIE):
        sent = Headers({"cookie": f"{known}={value}"})
        assert ballots.ballot_in(sent) == value.partition(".")[0]


def test_of_several_the_first_that_holds_is_the_ballot():
    ballots = current_hub().classrooms.ballots
    first, second = ballots.signer.new(), ballots.signer.new()
    owner = issuer().signer.new()

    def found(*values: str) -> str | None:
        return ballots.ballot_in(Headers({"cookie": "; ".join(f"{COOKIE}={v}" for v in values)}))

    assert found("x", owner, first, second) == first.partition(".")[0]
    assert found(second, first) == second.partition(".")[0]
    assert found("x", owner) is None
    assert ballots.ballot_in(Headers({"cookie": f"{OWNER_COOKIE}={first}"})) is None


def test_behind_a_listed_proxy_every_phone_has_its_own_address():
    restart(trusted_proxies="192.0.2.2", cookies_per_minute=1)
    teacher = Teacher()
    code = teacher.open()
    through = [{**PAGE, "x-forwarded-for": f"203.0.113.{number}"} for number in (1, 2, 1)]
    found = [Phone(code).browser.get(f"/x/b/{code}", headers=each) for each in through]
    assert [answer.status_code for answer in found] == [200, 200, 429]
    assert found[2].headers["retry-after"] == "60"
