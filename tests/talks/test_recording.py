"""Recording of a talk: the engine's measurements in one page that works offline."""

import base64
import re

import numpy as np
import orjson
import pytest

from bnviz import __main__ as command_line
from bnviz.experiment import run
from bnviz.talks import recorder
from bnviz.talks.recording import data_path, recording
from bnviz.talks.talk import TALKS, Station, Talk
from bnviz.words.texts import texts

NAME = "first-five-minutes"


@pytest.fixture(scope="module")
def kept():
    return orjson.loads(data_path(NAME).read_bytes())


def test_what_is_kept_is_of_the_talk_as_it_is(kept):
    assert (kept["version"], kept["talk"]) == (recorder.VERSION, NAME)
    for chapter, (number, config, changes, stops) in zip(
        kept["chapters"], TALKS[NAME].chapters(), strict=True
    ):
        assert chapter["norms"] == list(config.norms)
        assert chapter["layers"] == config.layer_count
        assert [(change["step"], change["values"]) for change in chapter["changes"]] == [
            (change.step, change.values) for change in changes
        ]
        assert [tuple(stop) for stop in chapter["stops"]] == stops
        assert chapter["frames"][-1]["step"] == TALKS[NAME].last[number]


def test_what_is_kept_is_what_the_engine_measures(kept):
    """Up to a few steps after the first change, machines differ only in the last digits."""
    _, config, changes, _ = TALKS[NAME].chapters()[0]
    last = changes[0].step + 3
    frames = {frame["step"]: frame for frame in kept["chapters"][0]["frames"]}
    for snapshot in run(config, steps=last, probes=recorder.PROBES, changes=changes[:1]):
        if snapshot.step not in frames:
            continue
        for norm, record in snapshot.networks.items():
            saved = frames[snapshot.step]["networks"][norm]
            assert saved["loss"] == pytest.approx(record.test_loss, rel=0.01)
            np.testing.assert_allclose(
                saved["gradients"], record.probes["gradients"]["grad_weight_norm"], rtol=0.02
            )
            assert saved["accuracy"] == pytest.approx(record.test_accuracy, abs=0.02)
            rows = np.frombuffer(base64.b64decode(saved["rows"]), np.uint8)
            measured = record.probes["histogram"]["nonlinearity_input"].ravel() / 65535
            np.testing.assert_allclose(rows / 255 * recorder.FULL, measured, atol=0.02)


def test_the_plain_network_breaks_where_the_talk_says_so(kept):
    first = kept["chapters"][0]
    raised, shown = first["changes"][0]["step"], dict(map(tuple, first["stops"]))[3]
    (broke,) = {frame["networks"]["none"]["broke"] for frame in first["frames"]} - {None}
    assert raised < broke < shown
    assert {frame["networks"]["batch"]["broke"] for frame in first["frames"]} == {None}


def test_a_network_that_becomes_non_finite_is_recorded_without_gradients():
    knobs = {"activation": "linear", "loss": "squared", "learning_rate": 100, "width": 8}
    talk = Talk(stations=(Station(name="one", knobs=knobs),), last={1: 40})
    frames = recorder.record("made-up", talk)["chapters"][0]["frames"]
    before, after = frames[0]["networks"]["none"], frames[-1]["networks"]["none"]
    assert before["stopped"] is None
    assert None not in before["gradients"]
    assert after["stopped"] is not None
    assert after["gradients"] == []


def test_the_page_says_that_it_is_a_recording_and_asks_for_nothing(kept):
    page = recording(NAME, "en")
    words = texts("talks")
    assert words["recording"]["mark"] in page
    assert kept["made"] in page
    assert not re.search(r"https?://|\bsrc=|\bfetch\(|\bimport\b", page)
    assert len(page) < 400_000
    (content,) = re.findall(r'<script type="application/json" id="recording">(.*?)</script>', page)
    stations = orjson.loads(content)["stations"]
    assert [station["title"] for station in stations] == [
        words["talk"][NAME]["station"][station.name]["title"] for station in TALKS[NAME].stations
    ]
    assert {station["chart"] for station in stations} <= words["recording"]["chart"].keys()


def test_no_text_ends_the_script(monkeypatch):
    data = orjson.dumps({"chapters": [], "talk": "</script><b>"})
    assert "</script><b>" not in recording(NAME, "en", data)


def test_a_talk_is_recorded_from_the_command_line(monkeypatch, tmp_path, capsys):
    short = Talk(
        stations=(
            Station(name="predict", knobs={"depth": 2, "width": 8}),
            Station(name="raise", change={"learning_rate": 1.0}, after=4),
        ),
        last={1: 6},
    )
    monkeypatch.setitem(TALKS, NAME, short)
    path = tmp_path / "talk.html"
    assert command_line.main(["record", NAME, "--out", str(path)]) == 0
    assert "6 of 6 steps" in capsys.readouterr().err
    (content,) = re.findall(r'id="recording">(.*?)</script>', path.read_text("utf-8"))
    (chapter,) = orjson.loads(content)["data"]["chapters"]
    assert [frame["step"] for frame in chapter["frames"]] == list(range(7))
    rows = base64.b64decode(chapter["frames"][0]["networks"]["none"]["rows"])
    assert len(rows) == 2 * 64
    for wrong in (["moon", "--out", str(path)], [str(tmp_path), "--out", str(path)],
                  [NAME, "--out", str(tmp_path)],
                  [NAME, "--out", str(path), "--language", "xx"]):  # fmt: skip
        assert command_line.main(["record", *wrong]) == 2
    assert "must be one of first-five-minutes" in capsys.readouterr().err


def test_a_talk_from_a_file_is_recorded_with_its_words_its_networks_and_its_answers(
    tmp_path, capsys
):
    file, path = tmp_path / "own.toml", tmp_path / "own.html"
    small = '{ depth = 2, width = 8, norms = ["batch", "layer", "rms"] }'
    file.write_text(
        f"""title = "My own </script><b>"
[[station]]
title = "One"
say = "A sentence."
notes = "For me alone."
setting = {small}
chart = "drift"
question = {{ text = "Which?", answers = ["this", "that"] }}
[[station]]
title = "Two"
change = {{ momentum = 0.9 }}
after = 3
""".replace("</script><b>", "& so"),
        encoding="utf-8",
    )
    assert command_line.main(["record", str(file), "--out", str(path)]) == 0
    assert "63 of 63 steps" in capsys.readouterr().err
    page = path.read_text("utf-8")
    assert "For me alone" not in page
    assert "Recording: My own &amp; so</title>" in page
    (content,) = re.findall(r'id="recording">(.*?)</script>', page)
    content = orjson.loads(content)
    assert [each["title"] for each in content["stations"]] == ["One", "Two"]
    first = content["stations"][0]
    assert (first["ask"], first["answers"], first["say"]) == (
        "Which?",
        ["this", "that"],
        "A sentence.",
    )
    assert first["chart"] == "loss", "no other recording shows it"
    assert list(content["networks"]) == ["batch", "layer", "rms"]
    assert len({tuple(colours) for colours in content["colours"].values()}) == 3
    assert content["knobs"]["momentum"] == "Momentum"
    (chapter,) = content["data"]["chapters"]
    assert chapter["changes"] == [{"step": 3, "values": {"momentum": 0.9}}]


def test_a_file_that_is_no_talk_is_told_line_by_line(tmp_path, capsys):
    file = tmp_path / "own.toml"
    file.write_text('title = "T"\n[[station]]\ntitle = 3\n', encoding="utf-8")
    assert command_line.main(["record", str(file), "--out", str(tmp_path / "x.html")]) == 2
    assert "Line 3, station 1: `title` must be one line of plain text" in capsys.readouterr().err
    file.write_bytes(b"\xff\xfe")
    assert command_line.main(["record", str(file), "--out", str(tmp_path / "x.html")]) == 2
    assert "UTF-8" in capsys.readouterr().err
    file.write_text('title = "T"\n[[station]]\ntitle = "One"\n', encoding="utf-8")
    keep = ["record", str(file), "--out", str(tmp_path / "x.html"), "--keep"]
    assert command_line.main(keep) == 2
    assert not list(tmp_path.glob("*.html"))
