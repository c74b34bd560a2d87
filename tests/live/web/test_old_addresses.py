"""Addresses from when the lab was at the root."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.web.old_addresses import LONGEST, OldAddresses
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


@pytest.mark.parametrize("base", ["", "/bn/viz"])
@pytest.mark.parametrize(
    "query",
    [
        *(f"{name}=1" for name in sorted(LAB_PARAMETERS)),
        "lang=de&depth=3&foo=%C3%A9%20+&norms=none,batch&depth=4", "run", "hide=",
    ],
)  # fmt: skip
def test_what_the_lab_reads_leads_to_the_lab_as_it_came(base, query):
    for root in {f"{base}/", base or "/"}:
        answer = client(base).get(f"{root}?{query}")
        assert answer.status_code == 307
        assert answer.headers["location"] == f"{base}/lab?{query}"


@pytest.mark.parametrize(
    "address",
    [
        "/", "/?", "/?lang=de", "/?embed=1&lang=en", "/?foo=1&depths=3", "/lab?depth=3",
        "/claims?run=1", f"/?depth=3&x={'x' * LONGEST}",
    ],
)  # fmt: skip
def test_everything_else_stays_where_it_is(address):
    answer = client().get(address)
    assert (answer.status_code, answer.text) == (200, address.partition("?")[0])


def test_only_what_can_be_asked_for_again_is_led_elsewhere():
    assert client().head("/?depth=3").status_code == 307
    assert client().post("/?depth=3").status_code == 200


@pytest.mark.parametrize("base", ["", "/bn/viz"])
@pytest.mark.parametrize(
    ("guessed", "meant"),
    [
        ("lessons/break-it", "lessons?lesson=break-it"),
        ("lessons/break-it/?seed=3&lang=de", "lessons?lesson=break-it&seed=3&lang=de"),
        ("lab/break-it", "lab"), ("lab/x?depth=3", "lab?depth=3"),
    ],
)  # fmt: skip
def test_a_name_below_a_page_leads_to_what_it_means(base, guessed, meant):
    answer = client(base).get(f"{base}/{guessed}")
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{base}/{meant}"


@pytest.mark.parametrize(
    "path", ["/lessons/static/a.js", "/lessons/_stcore/health", "/lab/a.js", "/other/name"]
)
def test_files_below_a_page_are_not_led_elsewhere(path):
    assert client().get(path).status_code == 404
