"""Addresses from the time when the lab was at the root."""

import itertools

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.web.old_addresses import OldAddresses
from bnviz.live.web.request_source import LONGEST_QUERY
from bnviz.ui.query_schema import LAB_PARAMETERS


def client(base=""):
    async def page(request):
        return PlainTextResponse(request.url.path)

    paths = [f"{base}/", f"{base}/lab", f"{base}/claims", *([base] if base else [])]
    every = ["GET", "HEAD", "POST"]
    old = Middleware(
        OldAddresses, base=base, path="lab", parameters=LAB_PARAMETERS,
        pages=("", "lab", "lessons"), named={"lessons": "lesson"},
    )  # fmt: skip
    app = Starlette(routes=[Route(path, page, methods=every) for path in paths], middleware=[old])
    return TestClient(app, follow_redirects=False)


BASES = ("", "/bn/viz")


def led(base, address):
    """Return the target if the response is a redirect that keeps the method (307), otherwise the
    status code.
    """
    answer = client(base).get(address)
    return answer.headers["location"] if answer.status_code == 307 else answer.status_code


def test_what_the_lab_reads_leads_to_the_lab_as_it_came():
    queries = [
        *(f"{name}=1" for name in sorted(LAB_PARAMETERS)),
        "lang=de&depth=3&foo=%C3%A9%20+&norms=none,batch&depth=4", "run", "hide=",
    ]  # fmt: skip
    assert len(queries) > 40
    wrong = []
    for base in BASES:
        browser = client(base)
        for query, root in itertools.product(queries, {f"{base}/", base or "/"}):
            answer = browser.get(f"{root}?{query}")
            told = (answer.status_code, answer.headers.get("location"))
            if told != (307, f"{base}/lab?{query}"):
                wrong.append((root, query, told))
    assert not wrong


def test_everything_else_stays_where_it_is():
    wrong = []
    for address in (
        "/", "/?", "/?lang=de", "/?embed=1&lang=en", "/?foo=1&depths=3", "/lab?depth=3",
        "/claims?run=1", f"/?depth=3&x={'x' * LONGEST_QUERY}",
    ):  # fmt: skip
        answer = client().get(address)
        if (answer.status_code, answer.text) != (200, address.partition("?")[0]):
            wrong.append((address, answer.status_code, answer.text))
    assert not wrong


def test_only_what_can_be_asked_for_again_is_led_elsewhere():
    assert client().head("/?depth=3").status_code == 307
    assert client().post("/?depth=3").status_code == 200


def test_a_name_below_a_page_leads_to_what_it_means():
    meant = {
        "lessons/break-it": "lessons?lesson=break-it",
        "lessons/break-it/?seed=3&lang=de": "lessons?lesson=break-it&seed=3&lang=de",
        "lab/break-it": "lab", "lab/x?depth=3": "lab?depth=3",
    }  # fmt: skip
    for base in BASES:
        found = {guessed: led(base, f"{base}/{guessed}") for guessed in meant}
        assert found == {guessed: f"{base}/{page}" for guessed, page in meant.items()}


def test_files_below_a_page_are_not_led_elsewhere():
    paths = ("/lessons/static/a.js", "/lessons/_stcore/health", "/lab/a.js", "/other/name")
    assert {path: led("", path) for path in paths} == dict.fromkeys(paths, 404)
