"""The app behind nginx and Caddy with the files of `deploy`: page, socket, vote, cookies."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

import pytest

from bnviz.live.classroom.ballot_cookie import COOKIE as BALLOT
from bnviz.live.web.cookies import HOST_PREFIX
from bnviz.live.web.owner import COOKIE as OWNER
from tests.conftest import NOT_TRIED, ROOT
from tests.deploy.proxies import NAME, PASSWORD, PROXIES, Proxy, behind, has
from tests.machines.served_app import ServedApp, Visitor, served_app

pytestmark = pytest.mark.verify
SERVE = [sys.executable, "-m", "bnviz", "serve", "--host", "127.0.0.1", "--port", "{port}"]
QUESTION = {"text": "Which one breaks?", "answers": ["Without BN", "With BN"]}
PAGE = {"Accept": "text/html", "Sec-Fetch-Dest": "document"}
BASIC = f"Basic {base64.b64encode(f'{NAME}:{PASSWORD}'.encode()).decode()}"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedApp]:
    folder = tmp_path_factory.mktemp("app")
    trusted = {"BNVIZ_TRUSTED_PROXIES": "127.0.0.1"}
    with served_app(SERVE, ROOT, folder / "log", **trusted) as served:
        yield served


@pytest.fixture(params=PROXIES, ids=lambda proxy: proxy.program)
def proxy(request: pytest.FixtureRequest) -> Proxy:
    if not has(request.param.program):
        name = request.param.program
        pytest.skip(f"{NOT_TRIED}: {name} is not installed (apt-get install {name})")
    return request.param


def ask(
    visitor: Visitor, path: str, body: Any = None, **headers: str
) -> tuple[Mapping[str, Any], Any]:
    """Send a request as a page does: POST with a body, else GET. Return headers and content."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Origin": visitor.address, "Content-Type": "application/json", **headers}
    with visitor.open(Request(f"{visitor.address}{path}", data, sent)) as answer:
        content = answer.read()
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.headers, json.loads(content) if is_json else content.decode()


def tally_of_a_vote(visitor: Visitor, **of_the_teacher: str) -> list[int]:
    """Return the votes of a class in which one phone voted for the second answer."""
    teacher = {"Cookie": cookie_of(visitor, **of_the_teacher), **of_the_teacher}
    _, room = ask(visitor, "/room", {}, **teacher)
    _, asked = ask(visitor, f"/room/{room['code']}/ask", QUESTION, **teacher)
    headers, page = ask(visitor, f"/b/{room['code']}", **PAGE)
    assert QUESTION["answers"][1] in page
    ballot = headers["Set-Cookie"]
    assert_secure(ballot, BALLOT)
    question = {"question": asked["question"]["id"], "round": 1}
    vote = {**question, "answer": 1, "page": 1, "n": 1}
    ask(visitor, f"/b/{room['code']}/vote", vote, Cookie=ballot.partition(";")[0])
    _, revealed = ask(visitor, f"/room/{room['code']}/reveal", {}, **teacher)
    return revealed["question"]["tally"]


def cookie_of(visitor: Visitor, **headers: str) -> str:
    answer, _ = ask(visitor, "/_stcore/host-config", **headers)
    assert_secure(answer["Set-Cookie"], OWNER)
    return answer["Set-Cookie"].partition(";")[0]


def assert_secure(cookie: str, name: str) -> None:
    assert cookie.startswith(f"{HOST_PREFIX}{name}=")
    assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))


def test_page_run_vote_and_secure_cookies_behind_a_proxy(
    app: ServedApp, proxy: Proxy, tmp_path: Path
):
    with behind(proxy, app, tmp_path / "proxy") as visitor:
        assert "<title>Live lab · bnviz</title>" in visitor.get("/lab").decode()
        frame = visitor.watch("lab", "depth=2&width=16&batch_size=16")
        assert set(frame["networks"]) == {"none", "batch"}
        assert tally_of_a_vote(visitor) == [0, 1]


def test_with_a_password_only_the_ballot_is_open(app: ServedApp, proxy: Proxy, tmp_path: Path):
    with behind(proxy, app, tmp_path / "proxy", locked=True) as visitor:
        for path in ("/", "/lab", "/status", "/bnviz", "/room/ABCDEF", "/_stcore/health"):
            with pytest.raises(HTTPError, match="401"):
                visitor.get(path)
        assert "<form" in visitor.get("/b").decode()
        _, page = ask(visitor, "/lab", Authorization=BASIC)
        assert "<title>Live lab · bnviz</title>" in page
        assert tally_of_a_vote(visitor, Authorization=BASIC) == [0, 1]
