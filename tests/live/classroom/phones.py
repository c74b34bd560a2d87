"""A class's teacher and phones, as clients of the app's routes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bnviz.live import current_hub, install_hub
from bnviz.live.app import middleware, routes
from bnviz.live.hub import Hub
from bnviz.live.settings import Settings
from bnviz.live.web.owner import COOKIE as OWNER_COOKIE
from bnviz.live.web.owner import Issuer, install_issuer, issuer

OURS = {"origin": "http://testserver"}
PAGE = {"accept": "text/html,*/*", "sec-fetch-dest": "document"}
QUESTION = {"text": "Which one breaks?", "answers": ["Without BN", "With BN", "Both", "None"]}
# The question as a page of the app sends it, and its outcome. The question and the outcome include
# the phrases (text keys and values) from which phones translate them.
WITH_BN = {"key": "norms.batch.network"}
OF_THE_APP = {
    **QUESTION, "text_phrase": {"key": "class.ask.breaks"},
    "answer_phrases": [{"key": "norms.none.network"}, WITH_BN, {"key": "class.answer.both"},
                     {"key": "class.answer.neither"}],
}  # fmt: skip
OUTCOME = {
    "answers": [1], "sentence": "With BN broke at step 12 156. Chance level is 10 %.",
    "sentence_phrases": [
        {"key": "class.happened.broke", "values": {"label": WITH_BN, "step": 12_156}},
        {"key": "class.happened.chance", "values": {"share": 0.1}},
    ],
}  # fmt: skip
MOST_BYTES = 20 * 1024
NO_CODE = "QQQQQQ"

app = Starlette(routes=routes("/x"), middleware=middleware)


def restart(**limits: Any) -> None:
    """Replace the hub and the issuer, as a server restart does. Without a run, the hub does not
    start a worker.
    """
    settings = Settings(**{"workers": 1, "secret": "a secret of some length", **limits})
    install_hub(Hub(settings))
    install_issuer(Issuer(settings))


@contextmanager
def started(**limits: Any) -> Iterator[None]:
    """Within a `with` block, replace the process's hub and issuer with those of a new server that
    has no classes.
    """
    before = install_hub(None), install_issuer(None)
    restart(**limits)
    try:
        yield
    finally:
        install_hub(before[0])
        install_issuer(before[1])


class Teacher:
    """A teacher's page."""

    def __init__(self, address: str = "192.0.2.1") -> None:
        self.browser = TestClient(app, headers=OURS, client=(address, 5000))
        self.come_back()

    def come_back(self) -> None:
        self.browser.cookies.set(OWNER_COOKIE, issuer().signer.new())

    def open(self) -> str:
        found = self.browser.post("/x/room")
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
    """Ballot page in a browser."""

    def __init__(self, code: str, address: str = "192.0.2.2") -> None:
        self.browser = TestClient(app, client=(address, 5000), follow_redirects=False)
        self.address = f"/x/b/{code}"

    def open(self, language: str = "en") -> httpx2.Response:
        return self.browser.get(self.address, headers={**PAGE, "accept-language": language})

    def state(self, **headers: str) -> httpx2.Response:
        return self.browser.get(f"{self.address}/state", headers=headers)

    def vote(self, answer: object, headers: dict = OURS, **changed: object) -> httpx2.Response:
        asked = current_hub().classrooms.find(self.address[-6:]).question
        now = {"question": asked.id, "round": asked.round} if asked else {}
        body = {**now, "answer": answer, **changed}
        return self.browser.post(f"{self.address}/vote", json=body, headers=headers)

    def tap(self, form: dict, headers: dict = OURS) -> httpx2.Response:
        """Vote by sending the form, as a page without scripts does."""
        return self.browser.post(f"{self.address}/vote", data=form, headers={**PAGE, **headers})
