"""Routes of the app in a bare Starlette app, with one real worker behind them."""

from __future__ import annotations

import csv
import io
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bnviz.live import current_hub
from bnviz.live.app import lifespan_of
from bnviz.live.protocol.frames import untyped
from bnviz.live.settings import Settings
from bnviz.live.web import templates
from bnviz.live.web.assets import VERSION
from bnviz.live.web.templates import find, offer, pack
from bnviz.planned_runs.plan import Plan
from bnviz.recently_used import RecentlyUsed
from bnviz.records import Change
from tests.live.conftest import SMALL, until
from tests.live.stub_worker import write_worker


def test_the_start_prepares_what_it_can_and_logs_what_it_cannot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    write_worker(worker := tmp_path / "worker")
    monkeypatch.setattr(sys, "executable", str(worker))
    done = threading.Event()

    def broken() -> None:
        raise ValueError("broken")

    app = Starlette(lifespan=lifespan_of(Settings(workers=1), [broken, done.set]))
    with TestClient(app):
        until(done.is_set)
    logged = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (failed,) = [line for line in logged if line["event"] == "preparation failed"]
    assert failed["trace"].endswith("ValueError: broken")


def test_history_lists_and_gives_frames(client: TestClient, run: str):
    kept = client.get(f"/x/history/{run}").json()["kept"]
    assert kept[0][1] == 0
    for seq, step in kept[::5]:
        frame = client.get(f"/x/history/{run}/{seq}").json()
        assert (frame["type"], frame["seq"], frame["step"]) == ("frame", seq, step)
    nearest = client.get(f"/x/history/{run}/99999999").json()
    assert nearest["seq"] == kept[-1][0]


def test_every_value_of_a_drag_is_given_and_of_a_run_that_is_over_none(
    client: TestClient, run: str
):
    drag = [Change(3, {"learning_rate": 0.2}, 1), Change(4, {"learning_rate": 0.4}, 1)]
    plan = Plan(rates=((9, 100.0),), last_step=9, changes=(*drag, Change(6, {"momentum": 0.5})))
    planned = current_hub().start("somebody", SMALL, plan=plan)
    until(lambda: current_hub().info(planned).step == 9)
    assert client.get(f"/x/changes/{planned}").json() == {
        "v": 1,
        "changes": [
            {"step": 3, "values": {"learning_rate": 0.2}, "drag": 1},
            {"step": 4, "values": {"learning_rate": 0.4}, "drag": 1},
            {"step": 6, "values": {"momentum": 0.5}},
        ],
    }
    assert client.get(f"/x/changes/{run}").json()["changes"] == []
    assert client.get("/x/changes/" + "0" * 32).status_code == 404


def test_a_frame_number_that_is_none_is_named(client: TestClient, run: str):
    wrong = []
    for seq in ("x", "-1", "1.5", "9" * 40, "%00", "²"):
        answer = client.get(f"/x/history/{run}/{seq}")
        said = answer.json()
        named = said.get("field") == "seq" and "whole number between 0 and" in said["message"]
        if answer.status_code != 400 or not named:
            wrong.append((seq, answer.status_code, said))
    assert not wrong


def test_series_are_points_over_the_kept_frames(client: TestClient, run: str):
    fields = ["none.loss", "batch.test_accuracy", "batch.drift.w1_start:1,1", "none.learning_rate",
              "none.gradients.grad_weight_norm:-1", "none.boundary.score:0,0",
              "none.drift.w1_start:9,9"]  # fmt: skip
    answer = client.get(f"/x/series/{run}", params={"field": fields}).json()
    kept = client.get(f"/x/history/{run}").json()["kept"]
    assert answer["seq"] == max(seq for seq, _ in kept)
    assert untyped(answer["step"]).tolist() == [step for _, step in kept]
    assert answer["unseen"] == current_hub().registry.runs[run].history.unseen.plain()
    assert list(answer["fields"]) == fields
    axes = [untyped(spec).tolist() for spec in answer["steps"]]
    points = {
        name: dict(zip(axes[one["step"]], untyped(one["value"]).tolist(), strict=True))
        for name, one in answer["fields"].items()
    }
    seq, step = kept[7]
    frame = client.get(f"/x/history/{run}/{seq}").json()
    assert list(points["none.loss"]) == [step for _, step in kept]
    assert points["none.loss"][step] == frame["networks"]["none"]["loss"]
    drift = untyped(frame["arrays"]["batch.drift.w1_start"])
    assert points["batch.drift.w1_start:1,1"][step] == drift[1, 1]
    assert points["none.boundary.score:0,0"] == points["none.drift.w1_start:9,9"] == {}


def test_a_field_that_is_none_is_named(client: TestClient, run: str):
    wrong = []
    none = (
        "",
        "none",
        "none.colour",
        "a.b.c.d",
        "none.loss:1",
        "a.b.c:",
        "a.b.c:1,,2",
        "\x00",
        "é",
    )
    for field in none:
        answer = client.get(f"/x/series/{run}", params={"field": field})
        said = answer.json()
        if (answer.status_code, said.get("field"), said.get("value")) != (400, "field", field):
            wrong.append((field, answer.status_code, said))
    assert not wrong


def test_of_too_many_fields_those_asked_for_last_are_answered(client: TestClient, run: str):
    fields = ["none.loss", *[f"none.percentiles.unit:0,0,{place}" for place in range(400)]]
    answer = client.get(f"/x/series/{run}", params={"field": fields})
    assert list(answer.json()["fields"]) == fields[1:]
    again = client.get(f"/x/series/{run}", params={"field": ["none.loss"] * 401})
    assert list(again.json()["fields"]) == ["none.loss"]


def test_many_who_ask_at_once_have_every_frame_read_once(client: TestClient, run: str):
    hub = current_hub()
    history = hub.registry.runs[run].history
    columns, kept = history.series, list(history)
    paths = [f"/x/series/{run}?field=batch.gradients.grad_weight_norm:1"] * 60
    before = columns.parsed
    with ThreadPoolExecutor(20) as pool:
        answers = {answer.text for answer in pool.map(client.get, paths)}
        files = {a.text for a in pool.map(client.get, [f"/x/export/{run}.json"] * 20)}
    assert len(answers) == len(files) == 1
    assert columns.parsed == before + len(kept)


def test_the_csv_export_has_a_line_for_each_kept_frame(client: TestClient, run: str):
    answer = client.get(f"/x/export/{run}.csv")
    assert 'filename="bnviz-digits-' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    kept = client.get(f"/x/history/{run}").json()["kept"]
    assert {step for _, step in kept} <= {int(row["step"]) for row in rows}
    shown = [row for row in rows if row["none.loss"]]
    assert [int(row["step"]) for row in shown] == [step for _, step in kept]
    assert "batch.gradients.grad_weight_norm:2" in rows[0]
    assert rows[0]["batch.state"] == "learning"


def test_the_json_export_has_everything(client: TestClient, run: str):
    answer = client.get(f"/x/export/{run}.json").json()
    assert answer["config"]["width"] == SMALL.width
    assert answer["changes"] == []
    histogram = answer["frames"][0]["arrays"]["none.histogram.nonlinearity_input"]
    assert np.array(histogram).shape == (2, 64)


def test_an_export_of_another_kind_is_refused(client: TestClient, run: str):
    assert client.get(f"/x/export/{run}.pickle").status_code == 400


def test_a_run_that_is_not_there_is_said_to_be(client: TestClient):
    wrong = []
    for path in ("history/{0}", "history/{0}/1", "series/{0}", "export/{0}.csv"):
        answer = client.get("/x/" + path.format("0" * 32))
        if answer.status_code != 404 or "This run does not exist" not in answer.json()["message"]:
            wrong.append((path, answer.status_code, answer.text))
    assert not wrong


def test_assets_are_kept_for_good_at_an_address_that_changes_with_them(client: TestClient):
    answer = client.get(f"/x/assets/{VERSION}/live_view.js")
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    for path in ("../pyproject.toml", "%2e%2e/pyproject.toml", "data/digits.npz", "nothing.js"):
        assert client.get(f"/x/assets/{VERSION}/{path}").status_code == 404
    assert client.get("/x/assets/old/live_view.js").status_code == 404


def test_plotly_comes_compressed_where_that_is_understood(client: TestClient):
    packed = client.get(f"/x/plotly/{VERSION}.js", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "immutable" in packed.headers["cache-control"]
    plain = client.get(f"/x/plotly/{VERSION}.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == packed.content
    assert b"plotly.js v" in plain.content[:400]


def test_templates_are_kept_for_good_at_an_address_that_changes_with_them(client: TestClient):
    first, second = (pack({"main": [{"name": name}], "more": []}) for name in ("loss", "drift"))
    assert first.id != second.id
    assert client.get(f"/x/templates/{first.id}.json").status_code == 404
    assert offer(first) == offer(first) == first.id
    for encoding in ("gzip", "identity"):
        answer = client.get(f"/x/templates/{first.id}.json", headers={"accept-encoding": encoding})
        assert answer.json() == {"main": [{"name": "loss"}], "more": []}
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers.get("content-encoding", "identity") == encoding
    assert client.get(f"/x/templates/{second.id}.json").status_code == 404


def test_templates_are_bounded_and_those_offered_again_stay(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(templates, "_kept", RecentlyUsed(2))
    first, second, third = (pack(number) for number in range(3))
    for each in (first, second, first, third):
        offer(each)
    assert [bool(find(each.id)) for each in (first, second, third)] == [True, False, True]


def test_qr_codes_are_pictures_of_bounded_text(client: TestClient):
    code = client.get("/x/qr.svg", params={"data": "http://testserver/?run=1"})
    assert code.headers["content-type"] == "image/svg+xml"
    assert b"<svg" in code.content
    assert b"testserver" not in code.content
    for data in ("", "x" * 1001):
        assert client.get("/x/qr.svg", params={"data": data}).json()["field"] == "data"
    assert client.get("/x/qr.svg", params={"data": "漢字 é"}).status_code == 200


def test_status_tells_of_the_machine_and_no_ids(client: TestClient, run: str):
    answer = client.get("/x/status")
    status = answer.json()
    assert len(status["workers"]) == 1
    assert status["workers"][0]["ready"]
    assert status["runs"]["paused"] >= 1
    assert run not in answer.text
    assert run[:8] not in answer.text


def test_every_browser_gets_a_secret_and_keeps_it(client: TestClient):
    from bnviz.live.web.owner import COOKIE, verify

    client.cookies.clear()
    answer = client.get("/x/nothing", headers={"accept": "text/html"})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert verify(answer.cookies[COOKIE])
    again = client.get("/x/nothing", headers={"accept": "text/html"})
    assert "set-cookie" not in again.headers
    client.cookies.clear()
