"""`/status`: a page for a browser, JSON for everything else."""

import json
import re
from html import escape
from typing import get_args

from starlette.applications import Starlette
from starlette.testclient import TestClient

from bnviz.live.app import lifespan_of, middleware, routes
from bnviz.live.saved.state_file import Problem
from bnviz.live.settings import Settings
from bnviz.live.web.status_page import COLUMNS, ROWS, duration, status_page, wants_page
from bnviz.words.texts import languages, texts

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def test_a_page_goes_to_whom_asks_for_html():
    cases = [
        (BROWSER, True), ("text/HTML", True), ("", False), ("*/*", False), ("text/*", False),
        ("application/json", False), ("application/json, text/html", False),
        ("text/html;q=0.9, application/json", True),
    ]  # fmt: skip
    assert [(accept, wants_page(accept)) for accept, _ in cases] == cases


def test_a_browser_gets_a_page_with_every_number_and_programs_get_the_json_they_had(client):
    plain = client.get("/x/status", headers={"accept": "*/*"})
    assert plain.headers["content-type"] == "application/json"
    known = json.loads(plain.content)
    assert (
        client.get("/x/status?as=json", headers={"accept": BROWSER}).json().keys() == known.keys()
    )
    answer = client.get("/x/status", headers={"accept": BROWSER})
    assert answer.headers["content-type"].startswith("text/html")
    assert (answer.headers["cache-control"], answer.headers["vary"][:6]) == ("no-store", "Accept")
    words = texts("status")
    listed = {name for names in ROWS.values() for name in names}
    # Every counter has a row in a table. The other values are shown above the tables.
    others = {"uptime_seconds", "workers", "map_cluster", "saving", "saved_state_was_damaged"}
    assert set(known) - listed == others
    # The GPU has a row only on a machine with a GPU, and saved bytes only if the state is saved.
    for name in (listed & set(known)) - {"gpu", "saved_bytes"}:
        assert f">{words['row'][name]}</th>" in answer.text
    assert "<script" not in answer.text
    assert re.search(r"(is|are) (all )?ready", answer.text)


def test_it_says_what_is_wrong_and_shows_no_markup_of_others():
    worker = {"number": 0, "ready": False, "runs": 0, "busy_seconds": 3.0, "age_seconds": 6.0,
              "slices": {"longest_seconds": 0.0421}}  # fmt: skip
    known = {"uptime_seconds": 3700.0, "workers": [worker], "runs": {"running": 2},
             "map_cluster": {"cores": 8, "problem": "<b>away</b>"}}  # fmt: skip
    page = status_page(known, "en")
    words = texts("status")
    assert words["none_ready"] in page
    assert "1 h 1 min" in page
    assert ">50 %</td>" in page
    assert ">42 ms</td>" in page
    assert ">2 running</td>" in page
    assert "&lt;b&gt;away" in page
    assert all(words["column"][name] in page for name in COLUMNS)
    some = status_page({**known, "workers": [{**worker, "ready": True}, worker]}, "en")
    assert "1 of 2" in some


def test_it_says_what_the_host_has_room_for_and_when_it_is_small():
    known = {"uptime_seconds": 1.0, "workers": []}
    host = {"cores": 1, "bytes": 2**30, "workers": 1, "workers_limited_by": "affinity",
            "places": 8}  # fmt: skip
    small = status_page({**known, "host": host}, "en")
    assert ">1 core, 1,024 MB: room for about 8 runs</td>" in small
    assert "serves a few people: 8 runs at a time" in small
    large = {**host, "cores": 4, "bytes": None, "places": 48}
    page = status_page({**known, "host": large}, "en")
    assert ">4 cores: room for about 48 runs</td>" in page
    assert "a few people" not in page


def test_it_says_in_each_language_whether_the_state_is_saved_and_what_to_do_otherwise():
    assert {"on", "off", "damaged", *get_args(Problem)} == texts("status")["saving"].keys()
    known = {"uptime_seconds": 1.0, "workers": [], "saved_bytes": 2**20}
    for language in languages():
        words = texts("status", language)
        for saving in ("on", "off", *get_args(Problem)):
            given = {**known, "saving": saving, "saved_state_was_damaged": None}
            page = status_page(given, language).replace("<code>", "`").replace("</code>", "`")
            assert escape(words["saving"][saving]) in page
            assert f">{words['row']['saved_bytes']}</th><td>1.0 MB" in page
            # The first warning is about workers.
            assert page.count('class="bad"') == 1 + (saving not in ("on", "off"))
            assert escape(words["saving"]["damaged"]) not in page
        page = status_page({**known, "saving": "on", "saved_state_was_damaged": True}, language)
        assert escape(words["saving"]["on"]) in page
        assert escape(words["saving"]["damaged"].partition("`")[0]) in page


def test_times_are_said_as_a_person_does():
    said = {59.9: "59 s", 60: "1 min", 90_000: "1 d 1 h"}
    assert {seconds: duration(seconds, texts("status")) for seconds in said} == said


TOKEN = "a token of sixteen or more"


def test_process_ids_are_for_those_who_send_the_token():
    app = Starlette(
        routes=routes(), middleware=middleware,
        lifespan=lifespan_of(Settings(workers=1, status_token=TOKEN)),
    )  # fmt: skip
    with TestClient(app) as client:

        def answer(authorization):
            return client.get("/status", headers={"authorization": authorization}).json()

        with_ids = answer(f"Bearer {TOKEN}")
        assert isinstance(with_ids["workers"][0]["pid"], int)
        for wrong in ("", "Bearer ", TOKEN, f"Bearer {TOKEN}x", "Basic YTpi", "Bearer é".encode()):
            assert "pid" not in json.dumps(answer(wrong)), wrong
        public = client.get("/status").json()
        assert public.keys() == with_ids.keys()
        assert public["workers"][0].keys() == with_ids["workers"][0].keys() - {"pid"}


def test_without_a_token_in_the_settings_nobody_gets_process_ids(client):
    for authorization in ("", "Bearer ", "Bearer"):
        headers = {"authorization": authorization, "accept": "*/*"}
        assert "pid" not in client.get("/x/status", headers=headers).text
