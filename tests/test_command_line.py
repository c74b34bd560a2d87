"""Command line: JSON lines on stdout, one sentence on stderr, no error if stdout is closed."""

import dataclasses
import io
import json
import os
import pwd
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bnviz import __main__ as command_line
from bnviz.commands import rates
from bnviz.commands.train import to_json
from bnviz.config import RunConfig
from bnviz.experiment import Experiment, run
from bnviz.planned_runs import compared_rates
from bnviz.probes import PROBES
from bnviz.records import NAMES_OUTSIDE, Break, NetworkRecord, Snapshot

ROOT = Path(__file__).resolve().parents[1]
SMALL = ["--set", "depth=2", "--set", "width=8", "--set", "dataset=moons"]
CONFIG = RunConfig(depth=2, width=8, dataset="moons")


def train(capfdbinary, *arguments):
    """Run `train`, and return its exit status, the objects it printed, and stderr."""
    status = command_line.main(["train", *arguments])
    captured = capfdbinary.readouterr()
    lines = [json.loads(line) for line in captured.out.splitlines()]
    return status, lines, captured.err.decode()


def test_a_line_for_each_snapshot_and_the_last_step(capfdbinary):
    status, lines, errors = train(capfdbinary, *SMALL, "--steps", "7", "--every", "3")
    assert (status, errors) == (0, "")
    assert [line["step"] for line in lines] == [0, 3, 6, 7]


def test_numbers_are_those_of_the_engine(capfdbinary):
    _, lines, _ = train(capfdbinary, *SMALL, "--steps", "5", "--every", "5", "--probes", "all")
    for line, snapshot in zip(lines, run(CONFIG, steps=5, every=5, probes="all"), strict=True):
        assert line == json.loads(json.dumps(to_json(snapshot)))
        record = snapshot.networks["batch"]
        assert line["networks"]["batch"]["test_loss"] == record.test_loss
        weights = line["networks"]["batch"]["probes"]["gradients"]["grad_weight_norm"]
        np.testing.assert_array_equal(
            np.float32(weights), record.probes["gradients"]["grad_weight_norm"]
        )


def test_names_are_those_of_the_records(capfdbinary):
    _, (line,), _ = train(capfdbinary, *SMALL, "--steps", "0", "--probes", "drift,saturation")
    assert set(line) == {field.name for field in dataclasses.fields(Snapshot) if field.compare}
    assert set(line["networks"]) == {"none", "batch"}
    record = line["networks"]["none"]
    # Times are left out, because they would make every line different.
    clocks = {"seconds_per_step", "training_seconds"}
    names = {field.name for field in dataclasses.fields(NetworkRecord)} - clocks
    assert set(record) == {NAMES_OUTSIDE.get(name, name) for name in names}
    assert set(record["probes"]) == {"drift", "saturation"}


# Probes that need images or saved weights of other steps, which are not available here.
KEEPING = {"cut", "before_change", "shown_values"}


@pytest.mark.parametrize(
    ("given", "names"),
    [("none", set()), ("all", set(PROBES) - KEEPING), ("gradients", {"gradients"})],
)
def test_probes_are_chosen_by_name(capfdbinary, given, names):
    _, (line,), _ = train(capfdbinary, *SMALL, "--steps", "0", "--probes", given)
    assert set(line["networks"]["batch"]["probes"]) == names


def test_what_is_not_finite_is_written_as_a_word():
    record = NetworkRecord(
        loss=float("nan"), test_loss=float("inf"), test_accuracy=float("-inf"), state="diverged",
        broke=Break(3, "layer 1", "not finite"),
        probes={"drift": {"w1_start": np.array([[np.nan, 1], [np.inf, -np.inf]], np.float32)}},
    )  # fmt: skip
    plain = to_json(Snapshot(4, {"none": record}))["networks"]["none"]
    assert (plain["loss"], plain["test_loss"]) == ("NaN", "Infinity")
    assert plain["test_accuracy"] == "-Infinity"
    assert plain["broke"] == {
        "step": 3, "layer": "layer 1", "reason": "not finite", "key": "",
        "moved": None, "moved_at": None, "unit": None,
    }  # fmt: skip
    assert plain["probes"]["drift"]["w1_start"] == [["NaN", 1.0], ["Infinity", "-Infinity"]]


def test_live_changes_act_before_their_step(capfdbinary):
    changes = ["--change", "3:learning_rate=1,momentum=0.5", "--change", "5:learning_rates=0.1,2"]
    _, lines, _ = train(capfdbinary, *SMALL, "--steps", "8", "--every", "1", *changes)
    rates = [line["networks"]["batch"]["learning_rate"] for line in lines]
    assert rates == [0.1] * 3 + [1.0] * 2 + [2.0] * 4
    experiment = Experiment(CONFIG)
    for step in range(8):
        if step == 3:
            experiment.update(learning_rate=1.0, momentum=0.5)
        if step == 5:
            experiment.update(learning_rates=(0.1, 2.0))
        experiment.step()
    final = experiment.snapshot(()).networks["batch"]
    assert lines[-1]["networks"]["batch"]["test_loss"] == final.test_loss


def test_rate_factors_are_set_and_changed(capfdbinary):
    arguments = ["--set", "rate_factors=10,1,1", "--change", "2:rate_factors=0,1,1,momentum=0.5"]
    _, lines, _ = train(capfdbinary, *SMALL, "--steps", "4", *arguments)
    experiment = Experiment(CONFIG.replace(rate_factors=(10, 1, 1)))
    for step in range(4):
        if step == 2:
            experiment.update(rate_factors=(0, 1, 1), momentum=0.5)
        experiment.step()
    final = experiment.snapshot(()).networks["batch"]
    assert lines[-1]["networks"]["batch"]["test_loss"] == final.test_loss


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "rate_factors=1,2"], "`rate_factors` must be three numbers: for the hidden"),
        (["--set", "depth=99"], "`depth` must be a whole number between 1 and 50, got '99'."),
        (["--set", "colour=red"], "`colour` must be one of the knobs"),
        (["--set", "depth"], "`--set` must be a knob, an equals sign and a value (depth=6)"),
        (["--set", "depth=3", "--set", "depth=4"], "`depth` must be given once, got ['3', '4']."),
        (["--set", "depth=50", "--set", "width=512", "--set", "batch_size=1024"], "s of work per"),
        (["--steps", "-1"], "`--steps` must be a whole number between 0 and 10000000, got '-1'."),
        (["--steps", "1e3"], "`--steps` must be a whole number"),
        (["--steps", "٣"], "`--steps` must be a whole number"),
        (["--every", "0"], "`--every` must be a whole number between 1 and 10000000, got '0'."),
        (["--probes", "histogram,x"], "`probes` must be all, or one or more of histogram"),
        (["--change", "3"], "`--change` must be a step, a colon and a knob"),
        (["--change", "700:learning_rate=1"], "must be a whole number between 0 and 600"),
        (["--change", "3:depth=4"], "`depth` must be left alone during a run"),
        (["--change", "3:learning_rate=0"], "`learning_rate` must be a number between 1e-05"),
    ],
)
def test_errors_are_one_sentence_and_status_2(capfdbinary, arguments, message):
    status, lines, errors = train(capfdbinary, *arguments)
    assert (status, lines) == (2, [])
    assert errors.count("\n") == 1
    assert message in errors


def test_a_stand_in_is_announced(capfdbinary, monkeypatch, tmp_path):
    monkeypatch.setenv("BNVIZ_DATA", str(tmp_path))
    arguments = ["--set", "dataset=mnist", "--set", "depth=1", "--steps", "0"]
    status, lines, errors = train(capfdbinary, *arguments)
    assert (status, len(lines)) == (0, 1)
    assert "8×8 digits that come with the app" in errors


def test_a_reader_who_leaves_ends_it_quietly():
    arguments = [*SMALL, "--steps", "100000", "--every", "1", "--probes", "none"]
    with subprocess.Popen(
        [sys.executable, "-m", "bnviz", "train", *arguments],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert json.loads(process.stdout.readline())["step"] == 0
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


def test_a_sign_that_the_terminal_lacks_is_printed_by_its_number(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    with pytest.raises(SystemExit):
        command_line.main(["--help"])
    terminal.flush()
    assert b"`bnviz train \\u2026`" in terminal.buffer.getvalue()


@pytest.fixture
def executed(monkeypatch):
    """Return the list that will contain the arguments of the process that replaces `serve`."""
    found = []
    monkeypatch.setattr(os, "execv", lambda path, arguments: found.extend(arguments))
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.setattr(os, "chdir", lambda path: None)
    return found


def test_serve_becomes_streamlit(executed):
    command_line.main(["serve", "--port", "9001", "--address", "0.0.0.0", "--base-path", "/lab/"])
    assert executed[:5] == [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    assert "--server.port=9001" in executed
    assert "--server.address=0.0.0.0" in executed
    assert "--server.baseUrlPath=lab" in executed
    assert os.environ["FORWARDED_ALLOW_IPS"] == "", "trusted proxies are a setting of this app"
    assert os.environ["PYTHONUTF8"] == "1", "the path of the clone may contain any characters"


def test_serve_gives_a_user_without_a_home_one(monkeypatch, executed):
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    monkeypatch.delenv("HOME")
    command_line.main(["serve"])
    assert Path.home() == Path("/")


def test_serve_leaves_a_home_as_it_is(monkeypatch, executed):
    monkeypatch.setenv("HOME", "/home/somebody")
    command_line.main(["serve"])
    assert Path.home() == Path("/home/somebody")


def test_serve_saves_in_the_folder_of_the_user_unless_told_otherwise(
    monkeypatch, executed, tmp_path
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    cases = {None: str(tmp_path / "bnviz"), "": "", "here": str(Path.cwd() / "here")}
    for given, folder in cases.items():
        monkeypatch.setenv("BNVIZ_STATE_DIR", given or "")
        if given is None:
            monkeypatch.delenv("BNVIZ_STATE_DIR")
        command_line.main(["serve"])
        assert os.environ["BNVIZ_STATE_DIR"] == folder


def test_serve_saves_in_no_folder_of_the_clone_for_a_user_without_a_home(monkeypatch, executed):
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    for name in ("HOME", "XDG_STATE_HOME", "BNVIZ_STATE_DIR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    command_line.main(["serve"])
    assert Path(os.environ["BNVIZ_STATE_DIR"]).parents[-2] == Path("/.local")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "0"], "`--port` must be a whole number between 1 and 65535, got '0'."),
        (["--port", "70000"], "`--port` must be a whole number between 1 and 65535"),
        (["--base-path", "a b?"], "`--base-path` must be a path of letters, digits"),
    ],
)
def test_serve_refuses_what_it_cannot_use(capsys, executed, arguments, message):
    assert command_line.main(["serve", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert executed == []


def recorded(tmp_path: Path, content: object) -> str:
    """Write a JSON file and return its path."""
    (path := tmp_path / "run.json").write_text(json.dumps(content))
    return str(path)


DRAG = [
    {"step": 2, "values": {"learning_rate": 0.3}},
    {"step": 3, "values": {"learning_rate": 0.5}, "drag": 1},
    {"step": 5, "values": {"learning_rate": 0.9}, "drag": 1},
    {"step": 5, "values": {"learning_rates": [0.2, 0.4], "batch_size": 7}},
    {"step": 6, "values": {"rate_factors": [10, 1, 0]}},
]


@pytest.mark.parametrize("export", [False, True], ids=["list", "export"])
def test_a_file_of_changes_gives_what_the_engine_gives_with_them(capfdbinary, tmp_path, export):
    content = {"config": CONFIG.model_dump(), "changes": DRAG, "frames": []} if export else DRAG
    sets = [] if export else SMALL
    arguments = ["--changes", recorded(tmp_path, content), "--steps", "9", "--every", "1"]
    status, lines, errors = train(capfdbinary, *sets, *arguments)
    assert (status, errors) == (0, "")
    experiment = Experiment(CONFIG)
    for step, line in enumerate(lines):
        for change in DRAG:
            if change["step"] == step:
                experiment.update(drag=change.get("drag", 0), **change["values"])
        expected = to_json(experiment.snapshot())
        assert line == json.loads(json.dumps(expected))
        experiment.step()
    assert lines[-1]["networks"]["batch"]["learning_rate"] == 0.4


@pytest.mark.parametrize(("device", "said"), [("cuda", True), ("cpu", False), (None, False)])
def test_a_run_that_was_computed_on_another_device_is_told(capfdbinary, tmp_path, device, said):
    content = {"config": CONFIG.model_dump(), "changes": [], "resolved_device": device}
    arguments = ["--changes", recorded(tmp_path, content), "--steps", "0"]
    status, _, errors = train(capfdbinary, *arguments)
    assert status == 0
    assert ("computed on cuda, but this machine uses " in errors) == said


def test_set_changes_a_knob_of_an_exported_run(capfdbinary, tmp_path):
    path = Path(recorded(tmp_path, {"config": CONFIG.model_dump(), "changes": []}))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # some editors save this byte order mark
    arguments = ["--changes", str(path), "--steps", "0", "--set", "seed=3"]
    _, lines, _ = train(capfdbinary, *arguments)
    (expected,) = run(CONFIG.replace(seed=3), steps=0)
    assert lines == [json.loads(json.dumps(to_json(expected)))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (7, "`--changes` must be a JSON file with a list of changes, or the export of a run"),
        ({"changes": 7}, "`--changes` must be a JSON file with a list of changes"),
        ({"config": {}}, "`--changes` must be a JSON file with a list of changes"),
        ({"config": [], "changes": []}, "`--changes` must be a JSON file with a list of changes"),
        ({"config": {"self": 1}, "changes": []}, "`self` must be one of the knobs dataset"),
        ({"config": {"depth": 99}, "changes": []}, "`depth` must be a whole number between 1"),
        ([7], "`--changes, number 1` must be an object with step, values, drag"),
        ([{"step": 1}], "`--changes, number 1` must be an object with step"),
        ([{"step": 1, "values": {}, "x": 1}], "`--changes, number 1` must be an object with step"),
        ([{"step": 1, "values": {}}], "`--changes, number 1, values` must be an object with live"),
        ([{"step": 601, "values": {"momentum": 0}}], "number between 0 and 600, got 601."),
        ([{"step": "1", "values": {"momentum": 0}}], "number between 0 and 600, got '1'."),
        ([{"step": True, "values": {"momentum": 0}}], "number between 0 and 600, got True."),
        ([*DRAG, {"step": 4, "values": {"momentum": 0}}], "number between 6 and 600, got 4."),
        ([{"step": 1, "values": {"momentum": 0}, "drag": -1}], "number 1, drag` must be a whole"),
        ([{"step": 1, "values": {"depth": 4}}], "`depth` must be left alone during a run"),
        ([{"step": 1, "values": {"x": 4}}], "`x` must be one of the live knobs learning_rate"),
        ([{"step": 1, "values": {"momentum": 1}}], "`momentum` must be a number between 0 and"),
        ([{"step": 1, "values": {"momentum": "0"}}], "`momentum` must be a number between 0 and"),
        ([{"step": 1, "values": {"learning_rates": [1]}}], "must be one rate for each of the 2"),
    ],
)
def test_a_file_that_cannot_be_is_refused_by_name(capfdbinary, tmp_path, content, message):
    arguments = ["--changes", recorded(tmp_path, content)]
    status, lines, errors = train(capfdbinary, *SMALL, *arguments)
    assert (status, lines) == (2, [])
    assert errors.count("\n") == 1
    assert message in errors


def test_a_file_of_changes_that_is_missing_no_json_or_beside_others_is_refused(
    capfdbinary, tmp_path
):
    (broken := tmp_path / "broken.json").write_text("[NaN")
    cases = [[str(tmp_path / "none.json")], [str(tmp_path)], [str(broken)]]
    both = [recorded(tmp_path, []), "--change", "3:momentum=0.5"]
    for case in [*cases, both]:
        status, _, errors = train(capfdbinary, "--changes", *case)
        assert (status, errors.count("\n")) == (2, 1)
    assert "left out if --changes names a file" in errors


def test_the_bar_of_rates_ends_at_as_many_networks_as_are_run(capsys, monkeypatch, tmp_path):
    """Use two rates, two seeds and one step, to keep the test short."""
    small = {
        "RUNGS": (0.1, 1.0),
        "BATCH_SIZES": (60,),
        "SEEDS": 2,
        "STEPS": 1,
        "PATH": tmp_path / "rates.json",
    }
    for name, value in small.items():
        monkeypatch.setattr(rates, name, value)
    soon = partial(rates.measure, small["RUNGS"], small["BATCH_SIZES"], seeds=small["SEEDS"])
    monkeypatch.setattr(rates, "measure", soon)
    monkeypatch.setattr(rates, "fitting_processes", lambda: 1)
    recorded = compared_rates.compared_rates()
    monkeypatch.setattr(rates, "measure_compared", lambda **_: recorded)
    monkeypatch.setattr(compared_rates, "PATH", tmp_path / "compared_rates.json")
    assert command_line.main(["rates"]) == 0
    found = json.loads(small["PATH"].read_bytes())
    assert (found["rates"], found["seeds"], found["steps"]) == ([0.1, 1.0], 2, 1)
    rows = [row for by_size in found["kinds"].values() for row in by_size.values()]
    run = sum(len(seeds) for row in rows for seeds in row)
    assert run == 8
    assert f"{run} of {run} networks" in capsys.readouterr().err


def test_a_server_with_an_invalid_setting_does_not_start():
    started = subprocess.run(
        [sys.executable, "-m", "bnviz", "serve"], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "BNVIZ_WORKERS": "many"}, timeout=60,
    )  # fmt: skip
    assert started.returncode == 2
    assert "`BNVIZ_WORKERS` must be a number between 0 and 64" in started.stderr
    assert not started.stdout
