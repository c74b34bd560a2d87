"""Old links, files, cookies, commands and frames continue to work.

The samples are in `tests/compatibility`. CONTRIBUTING.md describes how to decide about a change.
"""

from __future__ import annotations

import csv
import json
import shutil

import pytest

from bnviz.data.mnist import load as load_mnist
from bnviz.lessons.report import read_report
from bnviz.own_talks.file import read_talk
from bnviz.own_talks.talk_cache import keep_talk, unpack
from bnviz.own_talks.writing import write_talk
from bnviz.ui.lessons.handed_in import read_collection
from tests.compatibility import links, surface
from tests.compatibility.commands import SMALL, SWEEP, said
from tests.compatibility.message import BEGIN, failure
from tests.compatibility.server import OURS, PAGE, SECRET, browser, preview_picture
from tests.compatibility.surface import Decision, undecided
from tests.data.idx_writer import write_set

SAMPLES = surface.FOLDER / "samples"
COOKIES = json.loads((SAMPLES / "cookies.json").read_text("utf-8"))
CHANGE = '{"step":1,"values":{"learning_rate":0.5}}'
NOT_VALID = "a cookie signed earlier is no longer valid"
TALK = (SAMPLES / "talk.toml").read_text("utf-8")


def test_everything_recorded_is_still_there_or_its_change_was_decided():
    was = surface.recorded()
    wrong = undecided(was, surface.present(was), surface.decisions())
    if wrong:
        pytest.fail(failure(wrong), pytrace=False)


def test_what_is_gone_or_differs_is_found_and_what_is_new_is_allowed():
    was = {"a": 1, "b": [2], "c": 3}
    assert undecided(was, {**was, "d": 4}, []) == []
    found = undecided(was, {"a": 1, "b": [3]}, [])
    assert found == ["b: recorded [2], now [3]", 'c: recorded 3, now "gone"']


def test_a_limit_may_be_raised_and_columns_may_come_between():
    limit, order = {"at least": 5}, {"in this order": ["a", "b"]}
    for value, kept, broken in (
        (limit, {"at least": 6}, {"at least": 4}),
        (order, {"in this order": ["a", "new", "b"]}, {"in this order": ["b", "a"]}),
    ):
        assert undecided({"x": value}, {"x": kept}, []) == []
        assert len(undecided({"x": value}, {"x": broken}, [])) == 1


def test_an_area_that_cannot_be_read_is_one_key_and_hides_no_other():
    samples = tuple(f"{kind}: " for kind in surface.SAMPLES)
    for key in surface.recorded():
        known = key.startswith((*samples, "area ")) != (surface.area_of(key) is not None)
        assert known, f"{key}: name what it begins with in AREAS of tests/compatibility/surface.py"
    was = {"area files": "read", "limit: bytes": {"at least": 5}, "norm: none": "there"}
    found = undecided(was, {"area files": "fails: KeyError()"}, [])
    assert found == [
        'area files: recorded "read", now "fails: KeyError()"',
        'norm: none: recorded "there", now "gone"',
    ]


def test_the_message_says_what_to_do_and_prints_what_differs():
    long = {str(number): number for number in range(50)}
    was = {"a": long, **{f"link reads: /lab?x={number}": 0 for number in range(9)}}
    found = failure(undecided(was, {"a": {**long, "7": 8}}, []))
    assert found.splitlines() == [
        BEGIN, 'a: recorded {"7": 7}, now {"7": 8}',
        'link reads: /lab?x=0: recorded 0, now "gone"',
        "link reads: /lab?x=… and 8 more (python -m tests.compatibility prints all)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ({"key": "b", "now": [3]}, []), ({"key": "b"}, []), ({"key": "b*"}, []),
        ({"key": "b", "now": [4]}, ["b: recorded", "b: this decision is not needed"]),
        ({"key": "b", "gone": True}, ["b: recorded", "b: this decision is not needed"]),
        ({"key": "a"}, ["b: recorded", "a: this decision is not needed"]),
        ({"key": "b", "reason": " "}, ["b: this decision has no reason"]),
    ],
)  # fmt: skip
def test_a_decision_allows_what_it_says_and_has_to_be_needed(decision, left):
    found = undecided(
        {"a": 1, "b": [2]}, {"a": 1, "b": [3]}, [Decision(**{"reason": "r", **decision})]
    )
    assert len(found) == len(left)
    assert all(line.startswith(start) for line, start in zip(found, left, strict=True))


def test_a_decision_that_a_key_is_gone_is_for_this_alone():
    gone = [Decision("b*", "nobody used it", gone=True)]
    assert undecided({"a": 1, "b1": 1, "b2": 1}, {"a": 1}, gone) == []
    assert len(undecided({"a": 1, "b1": 1, "b2": 1}, {"a": 1, "b2": 2}, gone)) == 1


def flipped(cookie: str) -> str:
    """Return a cookie with its last digit changed."""
    return cookie[:-1] + ("0" if cookie[-1] != "0" else "1")


def test_a_cookie_of_an_owner_still_owns_and_a_flipped_one_does_not():
    cookie = COOKIES["bnviz_owner"]
    assert COOKIES["secret"] == SECRET
    with browser({"bnviz_owner": cookie}) as client:
        assert "set-cookie" not in client.get("/lab", headers=PAGE).headers, NOT_VALID
        code = client.post("/room", json={}, headers=OURS).json()["code"]
        assert client.get(f"/room/{code}").status_code == 200, NOT_VALID
        client.cookies.set("bnviz_owner", flipped(cookie))
        assert client.get(f"/room/{code}").status_code == 403
        assert "bnviz_owner=" in client.get("/lab", headers=PAGE).headers["set-cookie"]


def test_a_cookie_of_a_ballot_still_votes_and_a_flipped_one_does_not():
    cookie = COOKIES["bnviz_ballot"]
    asked = {"text": "Which?", "answers": ["One", "Two"]}
    with browser({"bnviz_owner": COOKIES["bnviz_owner"], "bnviz_ballot": cookie}) as client:
        code = client.post("/room", json={}, headers=OURS).json()["code"]
        assert client.post(f"/room/{code}/ask", json=asked, headers=OURS).status_code == 200
        assert "set-cookie" not in client.get(f"/b/{code}", headers=PAGE).headers, NOT_VALID
        opened = client.get(f"/b/{code}/state").json()["open"]
        vote = {**opened, "answer": 0}
        answer = client.post(f"/b/{code}/vote", json=vote, headers=OURS)
        assert answer.status_code == 200, NOT_VALID
        client.cookies.set("bnviz_ballot", flipped(cookie))
        assert client.post(f"/b/{code}/vote", json=vote, headers=OURS).status_code == 403
        assert "bnviz_ballot=" in client.get(f"/b/{code}", headers=PAGE).headers["set-cookie"]


def test_a_cookie_of_a_language_is_still_read():
    with browser({"bnviz_lang": COOKIES["bnviz_lang"]}) as client:
        assert client.get("/lab", headers=PAGE).headers["content-language"] == "ja"


def test_a_shared_link_has_a_picture():
    answer = preview_picture("/lab?preset=spirals")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")


def test_a_talk_is_read_from_its_file_and_from_its_link():
    talk = read_talk(TALK)
    assert write_talk("every-field", talk) == TALK
    past = [(change.step, dict(change.values)) for change in talk.past(3)]
    assert past == [(310, {"batch_size": 60, "learning_rate": 0.5})]
    assert unpack((SAMPLES / "talk_link.txt").read_text("utf-8").strip()) == TALK
    name = keep_talk(TALK)
    opened = [links.read(f"/lab?talk={name}&station={number}") for number in (1, 2, 3)]
    assert json.loads(json.dumps(opened)) == json.loads((SAMPLES / "talk.json").read_text("utf-8"))


def test_a_talk_without_optional_fields_has_its_defaults():
    text = (SAMPLES / "small_talk.toml").read_text("utf-8")
    talk = read_talk(text)
    (station,) = talk.stations
    assert (station.paused, station.does, station.ask, station.change) == (False, None, None, None)
    assert (station.answers, station.after, station.chart) == ((), 0, "loss")
    assert (talk.words.about, talk.last) == ("", {1: 60})
    (words,) = talk.words.stations
    assert (words.ask, words.say, words.notes) == ("Which?", "", "")
    name = keep_talk(text)
    assert links.read(f"/lab?talk={name}&station=1") == {
        "preset": "raise-the-rate", "talk": name, "station": 1, "from step": 0,
    }  # fmt: skip


def block_in(file: str, before: str, after: str) -> str:
    """Return the block of numbers in a report's file, as the teachers' page finds it."""
    return (SAMPLES / file).read_text("utf-8").partition(before)[2].partition(after)[0]


def test_reports_that_were_saved_are_read_and_can_be_handed_in():
    script = '<script type="application/json" id="bnviz-report">'
    blocks = [block_in("report.html", script, "</script>"),
              block_in("report.md", "```json\n", "\n```")]  # fmt: skip
    lab, lesson = map(read_report, blocks)
    assert (lab.who, lab.measured.step, lab.measured.outcome) == ("Ada <Lovelace>", 230, None)
    read = {norm: (one.test_accuracy, one.state) for norm, one in lab.measured.networks.items()}
    assert read == {"none": (0.125, "stuck"), "batch": (0.9375, "recovered")}
    assert lab.measured.networks["batch"].test_loss == 0.2109375
    assert [(one.step, dict(one.values)) for one in lab.changes] == [
        (46, {"learning_rate": 1.5}), (60, {"scale_weights": (10, None)}),
        (80, {"learning_rates": (0.1, 0.5)}),
    ]  # fmt: skip
    assert (lesson.measured.outcome, lesson.measured.answer) == ("held", "stays")
    files = [{"name": str(place), "text": block} for place, block in enumerate(blocks)]
    collection = read_collection({"links": f"{lab.link}\n{lesson.link}", "files": files})
    assert collection.problems == ()
    assert [row.problem for row in collection.rows] == [""] * 4
    assert [row.who for row in collection.rows[2:]] == ["Ada <Lovelace>", "1"]
    assert collection.rows[2].config.to_query() == {"depth": "4", "width": "32"}
    assert collection.rows[3].config.to_query() == {"seed": "3"}


def test_a_report_without_optional_fields_has_its_defaults():
    read = read_report(
        '{"bnviz":"report","version":1,"link":"https://some.school/lab","step":1,"networks":{}}'
    )
    assert (read.who, read.changes, read.measured.networks) == ("", (), {})
    assert (read.measured.outcome, read.measured.answer) == (None, None)


def test_the_export_of_a_run_is_made_again_by_the_command_line():
    status, text = said("train", "--changes", str(SAMPLES / "run.json"), "--steps", "4", "--every",
                        "1", "--probes", "none")  # fmt: skip
    rates = [json.loads(line)["networks"]["batch"]["learning_rate"] for line in text.splitlines()]
    assert (status, rates) == (0, [0.1, 0.2, 0.3, 0.3, 0.3])


@pytest.mark.parametrize("text", [f"[{CHANGE}]", f'{{"changes":[{CHANGE}]}}'])
def test_changes_without_a_run_begin_with_the_default_one(text, tmp_path):
    file = tmp_path / "changes.json"
    file.write_text(text, "utf-8")
    status, text = said("train", *SMALL, "--changes", str(file), "--steps", "2", "--every", "1",
                        "--probes", "none")  # fmt: skip
    rates = [[one["learning_rate"] for one in json.loads(line)["networks"].values()]
             for line in text.splitlines()]  # fmt: skip
    assert (status, rates) == (0, [[0.1] * 2, [0.5] * 2, [0.5] * 2])


@pytest.mark.parametrize("compressed", [True, False])
def test_a_folder_of_data_is_read_with_and_without_gz(compressed, tmp_path, monkeypatch):
    write_set(tmp_path, compressed=compressed)
    monkeypatch.setenv("BNVIZ_DATA", str(tmp_path))
    read = load_mnist()
    assert not read.note, read.note
    assert (read.train_inputs.shape, read.test_inputs.shape) == ((60, 784), (30, 784))


def test_the_file_of_a_sweep_that_was_stopped_is_taken_up(tmp_path):
    """The saved outcome is invented, so it can only come from the file."""
    file = shutil.copy(SAMPLES / "sweep.jsonl", tmp_path / "sweep.jsonl")
    status, text = said(*SWEEP, "--resume", str(file))
    (row,) = csv.DictReader(text.splitlines())
    assert (status, row["test_accuracy"], row["break_layer"]) == (0, "0.123", "layer 1")
