"""The first line of a page names its language, whatever else changes on the page."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

import bnviz.words.texts
from bnviz.live.web.page_change import PageChange
from bnviz.live.web.page_language import page_language

PAGE = '<!doctype html><html lang="en"><head></head><body>Grüße</body></html>'


@pytest.fixture(autouse=True)
def german(tmp_path, monkeypatch):
    for code in ("en", "de"):
        (tmp_path / code).mkdir()
        (tmp_path / code / "language.toml").write_text(f'name = "{code}"')
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)


@pytest.fixture
def client():
    async def page(_request: Request) -> HTMLResponse:
        return HTMLResponse(PAGE)

    async def data(_request: Request) -> JSONResponse:
        return JSONResponse('<html lang="en"')

    routes = [Route("/x/", page), Route("/x/data", data)]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(PageChange, changes=[page_language("/x")])])
    )


@pytest.mark.parametrize(
    ("query", "headers", "code"),
    [
        ("?lang=de", {}, "de"),
        ("?lang=en&lang=de", {"cookie": "bnviz_lang=en"}, "de"),
        ("", {"cookie": "other=1; bnviz_lang=de"}, "de"),
        ("", {"accept-language": "de-AT,de;q=0.9"}, "de"),
        ("", {"cookie": "bnviz_lang=en; __Host-bnviz_lang=de"}, "de"),
        ("?lang=en", {"cookie": "bnviz_lang=de"}, "en"),
        ("?lang=xx", {}, "en"),
        ('?lang="><script>', {"cookie": 'bnviz_lang="><script>'}, "en"),
        ("", {"cookie": "bnviz_lang=de=;;\x01"}, "en"),
    ],
)
def test_a_page_says_the_language_of_its_visitor(client, query, headers, code):
    answer = client.get(f"/x/{query}", headers=headers)
    head, _, rest = answer.text.partition("</head>")
    said, *others = head.split("<link")
    assert said + "</head>" + rest == PAGE.replace('lang="en"', f'lang="{code}"')
    assert [link.split('hreflang="')[1][:2] for link in others] == ["en", "de"]
    assert all(link.endswith(f'lang={link.split(chr(34))[3]}">') for link in others)
    assert answer.headers["content-language"] == code
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_a_language_that_was_asked_for_is_remembered(client):
    cookie = client.get("/x/?lang=de").headers["set-cookie"]
    assert cookie == f"bnviz_lang=de; Path=/x; Max-Age={365 * 24 * 60 * 60}; SameSite=Lax"
    over_https = client.get("https://testserver/x/?lang=de").headers["set-cookie"]
    assert over_https.startswith("__Host-bnviz_lang=de; Path=/; ")
    assert over_https.endswith("; Secure")
    for query in ("", "?lang=xx"):
        assert "set-cookie" not in TestClient(client.app).get(f"/x/{query}").headers


def test_what_is_no_page_is_left_alone(client):
    answer = client.get("/x/data?lang=de")
    assert answer.json() == '<html lang="en"'
    assert "set-cookie" not in answer.headers
