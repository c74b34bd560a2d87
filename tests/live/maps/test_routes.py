"""Maps over HTTP: polling, errors and files."""

from __future__ import annotations

import csv
import io

import pytest
from starlette.testclient import TestClient

from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.web.owner import COOKIE, issuer
from bnviz.sweeps.setting import MapSetting, Span
from tests.live.conftest import until

SETTING = MapSetting(
    RunConfig(depth=2, width=8), Span("learning_rate", 0.1, 30.0, 4), Span("batch_size", 8, 16, 2),
    steps=20,
)  # fmt: skip


@pytest.fixture(scope="module")
def key(client: TestClient) -> str:
    """Key of a finished map."""
    cookie = issuer().signer.new()
    client.cookies.set(COOKIE, cookie)
    owner = issuer().signer.verify(cookie)
    assert owner
    key = current_hub().maps.open(owner, SETTING)
    until(lambda: _poll(client, key)["status"] == "finished")
    return key


def _poll(client: TestClient, key: str) -> dict:
    return client.get(f"/x/maps/{key}?after=0&wanted=1").json()


def test_a_map_is_polled_from_any_point_on(client: TestClient, key: str):
    answer = client.get(f"/x/maps/{key}", headers={"accept-encoding": "gzip"})
    whole = answer.json()
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "no-store"
    assert whole["n"] == len(whole["points"]) == 16
    plain = client.get(f"/x/maps/{key}", headers={"accept-encoding": "identity"})
    assert plain.json() == whole
    assert "content-encoding" not in plain.headers
    few = client.get(f"/x/maps/{key}?after={whole['n'] - 2}&wanted=0").json()
    assert few == {**whole, "points": whole["points"][-2:]}
    assert client.get(f"/x/maps/{key}?after=9000000000").json()["points"] == []
    told = client.get("/x/status").json()
    assert told["maps"] == {"finished": 1}
    assert told["map_networks"] >= whole["progress"]["done"]


def test_every_network_is_a_row_of_a_file(client: TestClient, key: str):
    whole = _poll(client, key)
    answer = client.get(f"/x/maps/{key}.csv")
    assert f"bnviz-map-digits-{key[:8]}.csv" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == whole["progress"]["done"]
    assert {row["norm"] for row in rows} == {"none", "batch"}
    assert len(client.get(f"/x/maps/{key}.json").json()) == len(rows)


def test_absurd_questions_are_answered_with_what_is_allowed(client: TestClient, key: str):
    cases = [
        ("maps/nokey", "key"),
        (f"maps/{'Z' * 32}", "key"),
        (f"maps/{'0' * 33}.csv", "key"),
        ("maps/KEY.xml", "file"),
        ("maps/KEY?after=-1", "after"),
        ("maps/KEY?after=1e3", "after"),
        ("maps/KEY?after=" + "9" * 5000, "after"),
        ("maps/KEY?after=%D9%A3", "after"),
        ("maps/KEY?wanted=2", "wanted"),
        ("maps/KEY?wanted=yes", "wanted"),
    ]
    wrong = []
    for address, field in cases:
        answer = client.get(f"/x/{address.replace('KEY', key)}")
        said = answer.json()
        if (answer.status_code, said.get("field")) != (400, field) or not said["allowed"]:
            wrong.append((address, field, answer.status_code, said))
    assert not wrong


def test_a_map_that_is_not_kept_is_said_to_be_gone(client: TestClient):
    for kind in ("", ".csv", ".json"):
        answer = client.get(f"/x/maps/{'0' * 32}{kind}")
        assert answer.status_code == 404, kind
        assert answer.json()["problem"]["phrase"]["key"] == "errors.no_such_map"
        assert "reload the page" in answer.json()["problem"]["message"]
