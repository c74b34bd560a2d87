"""Preview of a shared link to a page."""

import re
from html import unescape

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.settings import Settings
from bnviz.live.web.assets import VERSION
from bnviz.live.web.link_preview import LinkPreview, Preview
from bnviz.live.web.owner import Issuer, install_issuer
from bnviz.live.web.page_change import PageChange

PAGE = "<html><head><title>Streamlit</title></head><body>é</body></html>"
META = re.compile(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">')


def find(path, query):
    if path not in ("", "lab", "lessons"):
        return None
    kept = {"lesson": query["lesson"]} if "lesson" in query else {}
    return Preview(f'"{path}" <b>&', f"Text of {path}.", f"previews/{path}.png", kept)


def client(base="", host="example.org", peer="192.0.2.1"):
    async def page(_request):
        return HTMLResponse(PAGE, headers={"etag": "old"})

    app = Starlette(
        routes=[Route(f"{base}/{path}", page) for path in ("", "lab", "lessons", "else")],
        middleware=[Middleware(PageChange, changes=[LinkPreview(base, find).change])],
    )
    return TestClient(app, base_url=f"http://{host}", client=(peer, 50000))


def tags(answer):
    return {name: unescape(content) for name, content in META.findall(answer.text)}


@pytest.mark.parametrize("base", ["", "/bn/viz"])
def test_a_page_says_what_it_is_and_where(base):
    answer = client(base).get(f"{base}/lessons?lesson=break-it&x=1")
    said, here = tags(answer), f"http://example.org{base}"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "etag" not in answer.headers
    assert "<title>&quot;lessons&quot; &lt;b&gt;&amp;</title>" in answer.text
    assert "Streamlit" not in answer.text
    assert said["og:title"] == '"lessons" <b>&'
    assert said["og:description"] == said["description"] == "Text of lessons."
    assert said["og:image"] == f"{here}/assets/{VERSION}/previews/lessons.png"
    assert said["twitter:card"] == "summary_large_image"
    assert said["og:url"] == f"{here}/lessons?lesson=break-it"
    assert f'<link rel="canonical" href="{here}/lessons?lesson=break-it">' in answer.text
    assert answer.text.endswith("</head><body>é</body></html>")


def test_the_root_and_what_is_no_page():
    assert tags(client().get("/"))["og:url"] == "http://example.org/"
    assert client().get("/else").text == PAGE


def test_hosts_of_every_kind_are_taken():
    hosts = ("[2001:db8::1]:8501", "localhost:8501", "192.0.2.7")
    said = {host: tags(client().get("/lab", headers={"host": host}))["og:url"] for host in hosts}
    assert said == {host: f"http://{host}/lab" for host in hosts}


def test_a_host_that_is_none_gives_no_address_and_nothing_else_is_lost():
    hosts = ("", 'evil"><script>', "a b", "user@example.org", "example.org/x", "-x", "x" * 300)
    left = {"description", "og:type", "og:site_name", "og:title", "og:description"}
    wrong = []
    for host in hosts:
        answer = client().get("/lab", headers={"host": host})
        odd = "<script" in answer.text or "canonical" in answer.text
        if odd or set(tags(answer)) != left:
            wrong.append((host, answer.text))
    assert not wrong


def test_a_query_cannot_break_out_of_the_head():
    answer = client().get("/lessons", params={"lesson": '"><script>alert(1)</script>'})
    assert "<script" not in answer.text


@pytest.mark.parametrize(("peer", "scheme"), [("10.0.0.1", "https"), ("192.0.2.1", "http")])
def test_only_a_trusted_proxy_says_that_it_is_encrypted(peer, scheme):
    before = install_issuer(Issuer(Settings(trusted_proxies="10.0.0.0/8")))
    try:
        answer = client(peer=peer).get("/lab", headers={"x-forwarded-proto": "https"})
    finally:
        install_issuer(before)
    assert tags(answer)["og:url"] == f"{scheme}://example.org/lab"
