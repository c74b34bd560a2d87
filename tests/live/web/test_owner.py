"""The owner's cookie: which requests get one, and which pages may open the socket."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.settings import Settings
from bnviz.live.web.cookies import PURPOSE, Signer
from bnviz.live.web.owner import (
    COOKIE,
    Issuer,
    OwnerCookie,
    install_issuer,
    issuer,
    owner_in,
    verify,
)
from bnviz.live.web.request_source import same_host

SECRET = "the secret of a school"


@pytest.fixture(autouse=True)
def _issuer() -> Iterator[None]:
    """Give each test its own issuer."""
    before = install_issuer(Issuer(Settings(secret=SECRET)))
    yield
    install_issuer(before)


def limited(count: int, trusted: str = "") -> None:
    """Limit new cookies to `count` per minute and address, and trust the proxies in `trusted`."""
    install_issuer(Issuer(Settings(cookies_per_minute=count, trusted_proxies=trusted)))


def sent(cookie: str) -> Headers:
    return Headers({"cookie": f"{COOKIE}={cookie}"})


def signed(owner: str) -> str:
    """Sign an owner in the format documented at `Signer`."""
    key = hashlib.sha256(SECRET.encode()).digest()
    return f"{owner}.{hmac.digest(key, PURPOSE + owner.encode(), 'sha256').hex()}"


async def page(request):
    return PlainTextResponse(owner_in(request.headers) or "nobody")


def client(base_url: str = "http://testserver", address: str = "192.0.2.1") -> TestClient:
    routes = [Route("/{path:path}", page)]
    app = Starlette(routes=routes, middleware=[Middleware(OwnerCookie)])
    return TestClient(app, base_url=base_url, client=(address, 50000))


PAGE = {"accept": "text/html,*/*", "sec-fetch-dest": "document"}


def test_a_first_visit_gets_a_secret_of_256_bits_that_scripts_cannot_read():
    answer = client().get("/", headers=PAGE)
    owner, signature = map(bytes.fromhex, answer.cookies[COOKIE].split("."))
    assert (len(owner), len(signature)) == (32, 32)
    _, *said = answer.headers["set-cookie"].split("; ")
    year = 365 * 24 * 60 * 60
    assert said == ["Path=/", f"Max-Age={year}", "HttpOnly", "SameSite=Strict"]


def test_every_browser_gets_another_secret():
    assert len({client().get("/", headers=PAGE).cookies[COOKIE] for _ in range(5)}) == 5


def test_over_https_the_cookie_stays_on_https():
    answer = client("https://testserver").get("/", headers=PAGE)
    assert "; Secure" in answer.headers["set-cookie"]


def test_over_https_the_cookie_is_of_this_host_alone():
    browser = client("https://testserver")
    name, _, rest = browser.get("/", headers=PAGE).headers["set-cookie"].partition("=")
    assert name == f"__Host-{COOKIE}"
    assert {"Path=/", "Secure"} <= set(rest.split("; "))
    assert "Domain" not in rest
    again = browser.get("/", headers=PAGE)
    assert again.text == rest[:64], "and is read under that name"
    assert "set-cookie" not in again.headers


def test_who_has_a_cookie_of_the_old_name_keeps_its_runs_over_https():
    old = signed("0f" * 32)
    answer = client("https://testserver").get("/", headers={**PAGE, "cookie": f"{COOKIE}={old}"})
    assert answer.text == "0f" * 32
    assert answer.headers["set-cookie"].startswith(f"__Host-{COOKIE}={old}; ")
    plain = client().get("/", headers={**PAGE, "cookie": f"{COOKIE}={old}"})
    assert "set-cookie" not in plain.headers


def test_a_cookie_that_another_host_may_have_set_counts_after_the_hosts_own():
    own, planted = signed("0f" * 32), signed("1e" * 32)
    headers = Headers({"cookie": f"{COOKIE}={planted}; __Host-{COOKIE}={own}"})
    assert owner_in(headers) == "0f" * 32
    wrong = Headers({"cookie": f"{COOKIE}={planted}; __Host-{COOKIE}=x"})
    assert owner_in(wrong) == "1e" * 32


def test_a_secret_is_kept():
    browser = client()
    browser.get("/", headers=PAGE)
    assert "set-cookie" not in browser.get("/", headers=PAGE).headers


def test_a_cookie_that_is_not_signed_by_us_counts_for_nothing_and_is_replaced():
    wrong = []
    for value in ("", "x", "0f" * 32, f"{'0f' * 32}.{'0f' * 32}", '"; Path=/', Signer().new()):
        answer = client().get("/", headers={**PAGE, "cookie": f"{COOKIE}={value}"})
        if answer.text != "nobody" or not verify(answer.cookies.get(COOKIE, "")):
            wrong.append((value, answer.text))
    assert not wrong


def test_one_that_does_not_hold_is_replaced_by_the_rules_of_a_missing_one():
    old = {"cookie": f"{COOKIE}={Signer().new()}"}
    across = {**PAGE, **old, "sec-fetch-site": "cross-site"}
    assert "set-cookie" not in client().get("/", headers=across).headers
    part = {**old, "accept": "*/*", "sec-fetch-dest": "script"}
    assert "set-cookie" not in client().get("/x.js", headers=part).headers
    config = {**old, "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty", "accept": "*/*"}
    assert COOKIE in client().get("/_stcore/host-config", headers=config).cookies


def test_an_owner_is_signed_as_documented_and_holds_while_the_key_does():
    owner = "0f" * 32
    assert verify(signed(owner)) == owner
    assert verify(Signer(SECRET).new())
    assert Signer("another secret!!").verify(signed(owner)) is None
    assert Signer().verify(Signer().new()) is None


@given(
    owner=st.binary(min_size=32, max_size=32).map(bytes.hex), at=st.integers(0, 128),
    digit=st.sampled_from("0123456789abcdefABCDEF. "), cut=st.integers(0, 128),
)  # fmt: skip
def test_no_digit_of_a_cookie_can_be_another_one(owner, at, digit, cut):
    cookie = signed(owner)
    assert owner_in(sent(cookie)) == owner
    assert verify(cookie[:cut]) is None
    assert verify(cookie + digit) is None
    assume(cookie[at] != digit)
    assert owner_in(sent(cookie[:at] + digit + cookie[at + 1 :])) is None


@given(
    st.one_of(
        st.text(),
        st.from_regex(r"[0-9a-f]{64}", fullmatch=True),
        st.from_regex(r"[0-9a-f]{64}\.[0-9a-f]{64}", fullmatch=True),
    )
)
def test_no_invented_text_is_an_owner(text):
    assert verify(text) is None
    if text.isascii() and text.isprintable():
        assert owner_in(sent(text)) is None


def test_an_address_gets_so_many_cookies_and_then_the_page_without_one():
    limited(2)
    answers = [client().get("/", headers=PAGE) for _ in range(4)]
    assert [COOKIE in answer.cookies for answer in answers] == [True, True, False, False]
    assert all(answer.status_code == 200 for answer in answers)
    assert issuer().wait("192.0.2.1") == 30
    assert COOKIE in client(address="192.0.2.2").get("/", headers=PAGE).cookies


def test_who_has_a_cookie_takes_nothing_from_its_address():
    limited(1)
    browser = client()
    assert all(browser.get("/", headers=PAGE).status_code == 200 for _ in range(3))
    assert issuer().wait("192.0.2.1") is None


def test_an_invented_forwarded_address_does_not_get_around_the_limit():
    limited(3)
    answers = [
        client().get("/", headers={**PAGE, "x-forwarded-for": f"203.0.113.{number}"})
        for number in range(6)
    ]
    assert sum(COOKIE in answer.cookies for answer in answers) == 3


def test_behind_a_listed_proxy_every_visitor_has_an_allowance_of_its_own():
    limited(1, trusted="192.0.2.1")
    through = [{**PAGE, "x-forwarded-for": f"10.0.0.1, 203.0.113.{number}"} for number in (1, 2, 1)]
    got = [COOKIE in client().get("/", headers=headers).cookies for headers in through]
    assert got == [True, True, False]


def test_only_a_listed_proxy_says_that_its_visitor_came_over_https():
    over = {**PAGE, "x-forwarded-proto": "https"}
    assert "Secure" not in client().get("/", headers=over).headers["set-cookie"]
    limited(9, trusted="192.0.2.0/24")
    assert "; Secure" in client().get("/", headers=over).headers["set-cookie"]


@pytest.mark.parametrize("said", ["https, http", "HTTPS", " https"])
def test_of_several_proxies_the_first_one_saw_the_browser(said):
    limited(9, trusted="192.0.2.0/24")
    answer = client().get("/", headers={**PAGE, "x-forwarded-proto": said})
    assert "Secure" in answer.headers["set-cookie"]


def test_an_answer_that_caches_may_keep_for_everybody_sets_no_cookie():
    async def file(_request):
        return PlainTextResponse("x", headers={"cache-control": "public, max-age=9"})

    app = Starlette(routes=[Route("/file.js", file)], middleware=[Middleware(OwnerCookie)])
    assert "set-cookie" not in TestClient(app).get("/file.js", headers=PAGE).headers


def test_a_referer_that_is_no_address_is_of_another_site():
    odd = {"accept": "text/html", "referer": "http://[odd"}
    assert "set-cookie" not in client().get("/", headers=odd).headers


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_another_address_of_the_same_ipv6_subscriber_is_no_other_one(address):
    limited(1)
    client(address=address).get("/", headers=PAGE)
    near = client(address="2001:db8::ffff").get("/", headers=PAGE)
    assert (COOKIE in near.cookies) is (address == "192.0.2.1")


def test_whoever_comes_from_another_site_keeps_the_secret_that_was_not_sent():
    browser = client()
    across = {**PAGE, "sec-fetch-site": "cross-site"}
    assert "set-cookie" not in browser.get("/", headers=across).headers
    without_hints = {"accept": "text/html", "referer": "http://elsewhere.example/a"}
    assert "set-cookie" not in browser.get("/", headers=without_hints).headers
    from_here = {"accept": "text/html", "referer": "http://testserver/a"}
    assert "set-cookie" in browser.get("/", headers=from_here).headers
    config = {"sec-fetch-site": "same-origin", "sec-fetch-dest": "empty", "accept": "*/*"}
    answer = client().get("/prefix/_stcore/host-config", headers=config)
    assert COOKIE in answer.cookies


def test_parts_of_a_page_bring_no_second_secret():
    brought = []
    for kind in ("script", "style", "image", "empty"):
        answer = client().get("/x.js", headers={"accept": "*/*", "sec-fetch-dest": kind})
        brought += [kind] if "set-cookie" in answer.headers else []
    assert not brought


def test_who_only_looks_whether_the_server_lives_takes_no_cookie():
    limited(1)
    for headers in ({}, {"accept": "*/*"}):
        browser = client()
        browser.headers.clear()
        assert "set-cookie" not in browser.get("/_stcore/health", headers=headers).headers
    assert COOKIE in client().get("/", headers=PAGE).cookies


def test_owner_in_finds_its_cookie_among_others():
    cookie = issuer().signer.new()
    owner = cookie[:64]
    assert owner_in(Headers({"cookie": f"a=b; {COOKIE}={cookie}; c=d"})) == owner
    # Another application on the same host may set a cookie that Python's own parser cannot read.
    assert owner_in(Headers({"cookie": f'odd={{"a": 1}}; ;;==; {COOKIE}={cookie}'})) == owner
    # An invalid cookie of the same name, set for a longer path, does not hide the valid cookie.
    assert owner_in(Headers({"cookie": f"{COOKIE}=x; {COOKIE}={cookie}"})) == owner
    assert owner_in(Headers({"cookie": "a=b; ;;=="})) is None
    assert owner_in(Headers({})) is None


def test_only_the_host_asked_is_the_same_host():
    cases = [
        ("http://a.example", "a.example", True),
        ("http://a.example:8501", "a.example:8501", True),
        ("https://a.example", "a.example", True),
        ("https://a.example", "a.example:443", True),
        ("http://A.example", "a.example", True),
        ("http://[::1]:80", "[::1]", True),
        ("http://a.example", "a.example:8501", False),
        ("http://a.example.evil.example", "a.example", False),
        ("http://evil.example/a.example", "a.example", False),
        ("http://a.example@evil.example", "a.example", False),
        ("http://evil.example:a.example", "a.example", False),
        ("null", "a.example", False),
        ("", "a.example", False),
        ("ftp://a.example", "a.example", False),
        ("http://", "", False),
    ]
    found = [
        (origin, host, same_host(Headers({"origin": origin, "host": host})))
        for origin, host, _ in cases
    ]
    assert found == cases


def test_a_missing_or_doubled_origin_is_not_the_same_host():
    assert not same_host(Headers({"host": "a"}))
    doubled = [(b"origin", b"http://a"), (b"origin", b"http://b"), (b"host", b"a")]
    assert not same_host(Headers(raw=doubled))
