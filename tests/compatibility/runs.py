"""Public interface of runs: Python API, frames, socket messages and exported files."""

from __future__ import annotations

import csv
import dataclasses
import importlib
import inspect
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import bnviz
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol import client_messages
from bnviz.live.protocol.frames import WIRE_VERSION, encode_body
from bnviz.live.runs.export import csv_lines, json_parts
from bnviz.live.runs.parsed_frames import HistoryFrame
from bnviz.records import Break, Change, Dip, NetworkRecord, Snapshot
from bnviz.words.story import tell_story
from tests.compatibility.commands import shape
from tests.compatibility.registries import there
from tests.compatibility.server import browser
from tests.live.conftest import MANY, OWNER, serving, until
from tests.live.stub_worker import SHOW, write_worker
from tests.ui.conftest import CONFIRM

# Names that programs outside the repository import, and the methods that they call.
PUBLIC: dict[str, tuple[str, ...]] = {
    "bnviz.config.RunConfig": ("replace", "to_query", "from_query"),
    "bnviz.experiment.Experiment": ("step", "update", "snapshot", "checkpoint", "restore"),
    "bnviz.experiment.run": (),
    "bnviz.sweep.sweep": (),
    "bnviz.charts.figure.figure": (),
    "bnviz.snapshot_table.table": (),
    "bnviz.norms.batch.batch_norm_forward": (),
    "bnviz.norms.batch.batch_norm_backward": (),
    "bnviz.live.hub.Hub": ("start", "fork", "set_knobs", "advance", "play", "pause", "info"),
}
RECORDS = (Snapshot, NetworkRecord, Change, Break)
# Small sizes per network type, because no field depends on the size.
SIZES: dict[str, dict[str, Any]] = {
    "mlp": {"depth": 2, "width": 8}, "conv": {"depth": 2, "width": 4},
    "recurrent": {"depth": 1, "width": 4},
}  # fmt: skip
CHANGES = (Change(0, {"learning_rate": 0.2}), Change(1, {"learning_rate": 0.3}, 1))
# Message types that a viewer receives after watching, setting knobs and pausing.
MESSAGES = ("hello", "frame", "knobs", "knob", "acted", "refused", "status")
# Timeout in seconds for each message, long enough for a busy machine.
SECONDS = 100.0
# Pattern of the CSV column of an array entry other than the first.
LATER_ENTRY = re.compile(r":.*[1-9]")


def surface() -> dict[str, Any]:
    return dict((*_python(), *_frames(), *_messages()))


def client_message(text: str) -> Any:
    """Return the parsed client message, or the name of the invalid field."""
    try:
        return client_messages.read(text, 4096).model_dump(by_alias=True)
    except client_messages.BadMessage as error:
        return f"refused: {error.field}"


def _python() -> Iterator[tuple[str, Any]]:
    yield from there("python bnviz", (name for name in vars(bnviz) if name.isupper()))
    for path, methods in PUBLIC.items():
        module, _, name = path.rpartition(".")
        found = getattr(importlib.import_module(module), name)
        if found is not RunConfig:  # the knobs are recorded separately
            yield from _arguments(f"python {path}", found)
        for method in methods:
            yield from _arguments(f"python {path}.{method}", getattr(found, method))
    for record in RECORDS:
        names = (each.name for each in dataclasses.fields(record))
        yield from there(f"python {record.__name__} field", names)


def _arguments(path: str, function: Any) -> Iterator[tuple[str, Any]]:
    """Yield each argument of a function, and all required arguments as one key."""
    found = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    required = []
    for place, one in enumerate(found):
        by_name = one.kind is inspect.Parameter.KEYWORD_ONLY
        named = one.kind in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        if one.default is inspect.Parameter.empty and not named:
            required.append(one.name)
        default = "" if one.default is inspect.Parameter.empty else repr(one.default)
        where = one.kind.description if named else "by name" if by_name else f"place {place + 1}"
        yield f"{path} argument {one.name}", [where, default]
    yield f"{path} requires", required


def _frames() -> Iterator[tuple[str, Any]]:
    """Yield the fields of frames and exported files for each network type."""
    yield "frame version", WIRE_VERSION
    for network, size in SIZES.items():
        config = RunConfig(network=network, **size)
        kept = HistoryFrame(0, 1, _body(config))
        body = json.loads(kept.body)
        for name, spec in body.pop("arrays").items():
            axes = spec.get("shape", "").count(",") + 1
            yield f"frame {network} array {name}", f"{spec['dtype']}, axes: {axes}"
        if network == "mlp":
            yield from shape("frame", body)
            yield from _files(config, kept)


def _files(config: RunConfig, kept: HistoryFrame) -> Iterator[tuple[str, Any]]:
    """Yield the columns and fields of the exported files of a run with one frame."""
    columns = next(csv.reader(csv_lines([kept])))
    columns = [name for name in columns if not LATER_ENTRY.search(name)]
    yield from there("run CSV column", columns)
    yield "run CSV columns", {"in this order": columns}
    run = json.loads("".join(json_parts(config, CHANGES, [kept], "cpu")))
    arrays = [frame.pop("arrays").keys() for frame in run["frames"]]
    measured = json.loads(kept.body)["arrays"].keys()
    yield "run JSON has the arrays of its frames", arrays == [measured]
    yield from shape("run JSON", run)


def _body(config: RunConfig) -> bytes:
    """Return the body of a frame with all probes. One of its networks has an accuracy dip and a
    break.
    """
    experiment = Experiment(config)
    experiment.step()
    shown = experiment.snapshot("all")
    story = tell_story(shown, config)
    for norm, record in shown.networks.items():
        shown.networks[norm] = dataclasses.replace(record, seconds_per_step=0.5)
    shown.networks["none"] = dataclasses.replace(
        shown.networks["none"], broke=Break.because(1, "layer 1", "nonfinite"), stopped=1,
        dip=Dip(step=1, value=0.2, before=0.9, over=1),
    )  # fmt: skip
    told = {norm: dict.fromkeys(one, "") for norm, one in story.items()}
    return encode_body(shown, changes=CHANGES, story=told)


def _messages() -> Iterator[tuple[str, Any]]:
    """Yield the fields of the first server message of each type, and the fields of `/status`."""
    for kind, message in _heard().items():
        message.pop("phrase", None)  # the fields of a phrase depend on its text
        yield from shape(f"server message {kind}", message)
    with browser() as client:
        yield from shape("status page", client.get("/status").json())


def _heard() -> Mapping[str, Any]:
    """Return the messages to a viewer that watches a run, sets knobs, triggers an action and
    pauses.

    A stub worker confirms every command and trains nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        write_worker(worker := Path(folder) / "worker", hears=SHOW + CONFIRM)
        with mock.patch.object(sys, "executable", str(worker)), serving(workers=1, **MANY) as live:
            run = live.hub.start(OWNER, RunConfig())
            until(lambda: live.history_steps(run))
            watcher = live.watch(run, owner=OWNER, acknowledges=False)
            for kind, act in (
                ("frame", lambda: None),
                ("knob", lambda: watcher.set_knob("learning_rate", 0.5)),
                ("refused", lambda: watcher.set_knob("learning_rate", -1)),
                ("acted", lambda: watcher.act("scale_weights", [2.0, None])),
                ("status", lambda: live.hub.pause(OWNER, run)),
            ):
                act()
                until(lambda kind=kind: watcher.said(kind), SECONDS)
            return {kind: watcher.said(kind)[0] for kind in MESSAGES}
