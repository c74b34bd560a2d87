"""Every value sent by the server is one that the engine measured at the given step.

Reading the past does not get more expensive with the number of readers.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Sequence

import numpy as np
import orjson
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bnviz.live.errors import TooOften
from bnviz.live.protocol.frames import untyped
from bnviz.live.runs.export import PIECE, ExportCache, csv_lines, json_parts
from bnviz.live.runs.history import History
from bnviz.live.runs.parsed_frames import HistoryFrame
from bnviz.live.runs.time_series import MOST_FIELDS, TimeSeriesCache, read_fields
from bnviz.live.web.answers import (
    MOST_SENT_BYTES,
    RETRY_SECONDS,
    FileDownload,
    RunningDownloads,
)
from tests.live.engine import SMALL, Truth, Turn, played

CAP = 400_000
TURNS = st.builds(
    Turn,
    steps=st.sampled_from([0, 1, 1, 2, 5]),
    seconds=st.sampled_from([0.02, 0.2, 0.6]),
    how=st.sampled_from(["due", "due", "due", "full", "missing"]),
    rate=st.sampled_from([None, None, None, 0.01, 3.0]),
    batch=st.sampled_from([None, None, None, 4, 16]),
    late=st.booleans(),
)
RARELY = [Turn(steps=0, how="full"), *[Turn(steps=2, seconds=0.12)] * 12]


def points_of(answer: bytes) -> dict[str, list[tuple[int, float]]]:
    """Return the points (step, value) of each field in a `/series` response."""
    told = json.loads(answer)
    axes = [untyped(spec).tolist() for spec in told["steps"]]
    return {
        field: list(zip(axes[one["step"]], untyped(one["value"]).tolist(), strict=True))
        for field, one in told["fields"].items()
    }


def entry(field: str) -> tuple[str, tuple[int, ...]]:
    name, _, index = field.partition(":")
    return name, tuple(int(part) for part in index.split(",")) if index else ()


def said(kept: Sequence[HistoryFrame]) -> set[tuple[str, int]]:
    """Return the names of the arrays in the kept frames, each with the step at which the array
    was measured.
    """
    found = set()
    for frame in kept:
        body = json.loads(frame.body)
        for name in body["arrays"]:
            network, probe, _ = name.split(".")
            found.add((name, body["networks"][network]["measured_at"][probe]))
    return found


def check_series(history: History, truth: Truth) -> None:
    fields = truth.fields()
    for some in (fields[:7], fields, fields[5:]):
        answer = history.series.answer(history.version, list(history), read_fields(some))
        points = points_of(answer)
        assert list(points) == some
        for field, found in points.items():
            steps = [step for step, _ in found]
            assert steps == sorted(set(steps)), field
            name, index = entry(field)
            for step, value in found:
                assert truth.has(name, step, value, index), (field, step, value)
            if name.count(".") == 2:
                assert set(steps) == {step for other, step in said(list(history)) if other == name}


def check_csv(history: History, truth: Truth) -> None:
    rows = list(csv.DictReader(io.StringIO("".join(csv_lines(list(history))))))
    steps = [int(row["step"]) for row in rows]
    assert steps == sorted(set(steps))
    assert {frame.step for frame in history} <= set(steps)
    filled = set()
    for step, row in zip(steps, rows, strict=True):
        for column, cell in row.items():
            name, index = entry(column)
            if cell == "" or column == "step" or name.endswith(".state"):
                continue
            assert truth.has(name, step, float(cell), index), (column, step, cell)
            filled.add((name, step))
    small = {name for name, shape in truth.arrays().items() if np.prod(shape, dtype=int) <= 64}
    assert {one for one in said(list(history)) if one[0] in small} <= filled


def check_json(history: History, truth: Truth) -> None:
    told = json.loads("".join(json_parts(SMALL, [], list(history), "cpu")))
    assert [frame["step"] for frame in told["frames"]] == [frame.step for frame in history]
    found = []
    for frame in told["frames"]:
        for name, values in frame["arrays"].items():
            network, probe, _ = name.split(".")
            step = frame["networks"][network]["measured_at"][probe]
            array = np.array(values, dtype=float)
            assert truth.has(name, step, array), (name, step)
            found.append((name, step))
    assert len(found) == len(set(found))
    assert set(found) == said(list(history))


# Hypothesis phases without shrinking, because shrinking takes minutes and failing cases are already
# small.
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]
CASE = (st.lists(TURNS, min_size=3, max_size=14), st.lists(TURNS, max_size=4), st.integers(0, 8))


@settings(max_examples=4, phases=PHASES)
@given(*CASE)
def test_every_point_is_a_value_of_the_engine_at_its_step(turns, again, thinned_from):
    check_every_point(turns, again, thinned_from)


@pytest.mark.verify
@settings(max_examples=40, phases=PHASES)
@given(*CASE)
def test_every_point_of_many_runs_is_a_value_of_the_engine(turns, again, thinned_from):
    check_every_point(turns, again, thinned_from)


def check_every_point(turns: Sequence[Turn], again: Sequence[Turn], thinned_from: int) -> None:
    truth, history = Truth(), History(CAP)
    changes = 0
    for number, (shown, body, experiment) in enumerate(played([Turn(0), *turns], truth)):
        history.add(shown.step, body)
        for change in experiment.changes[changes:]:
            history.add_change(change)
        changes = len(experiment.changes)
        if number == thinned_from:
            # Fill the cache before frames are removed: cached columns must not outlive the frames
            # from which they were read.
            check_series(history, truth)
    for shown, body, _ in played([Turn(0), *again], truth):
        history.add(shown.step, body, replayed=True)
    until = max(0, history.newest.step - 2)
    made = [change for change in experiment.changes if change.step <= until]
    for one in (history, history.up_to(until, made)):
        check_series(one, truth)
        check_csv(one, truth)
        check_json(one, truth)


def test_thinning_leaves_values_that_were_measured_at_steps_no_frame_shows():
    truth, history = Truth(), History(45_000)
    # The pace is so fast that there is no time for expensive probes in the frames themselves.
    turns = [Turn(0, how="full"), *[Turn(2, seconds=0.005, late=True)] * 40]
    for shown, body, _ in played(turns, truth):
        history.add(shown.step, body)
    assert history.thinned
    shown = {frame.step for frame in history}
    assert {step for _, step in said(list(history))} - shown
    check_series(history, truth)
    check_csv(history, truth)
    check_json(history, truth)


def rarely() -> History:
    history = History(2**23)
    for shown, body, _ in played(RARELY, Truth()):
        history.add(shown.step, body)
    return history


def test_a_frame_is_read_once_however_many_ask():
    history, fields = rarely(), read_fields(["none.loss", "batch.jacobian.singular_values:0,0"])
    kept = list(history)
    answers = {history.series.answer(history.version, kept, fields) for _ in range(300)}
    assert len(answers) == 1
    assert history.series.parsed == len(kept)
    history.add(99, orjson.dumps({**orjson.loads(kept[-1].body), "step": 99}))
    for _ in range(300):
        history.series.answer(history.version, list(history), fields)
    assert history.series.parsed == len(kept) + 1
    history.series.answer(history.version, list(history), fields[:1])
    assert history.series.parsed == len(kept) + 1


def test_of_many_fields_the_oldest_asked_for_are_forgotten_and_all_are_answered():
    history = rarely()
    kept = list(history)
    names = [f"none.percentiles.unit:0,{i // 30},{i % 30}" for i in range(450)]
    told = points_of(history.series.answer(1, kept, read_fields(names)))
    assert list(told) == names[-MOST_FIELDS:]
    for name in names:
        assert list(points_of(history.series.answer(1, kept, read_fields([name])))) == [name]
        assert len(history.series) <= MOST_FIELDS
    parsed = history.series.parsed
    history.series.answer(2, kept, read_fields(names[60:]))
    assert history.series.parsed == parsed
    history.series.answer(3, kept, read_fields(names[:1]))
    assert history.series.parsed == parsed + len(kept)


def test_columns_stay_within_their_bytes():
    columns, kept = TimeSeriesCache(3_000), list(rarely())
    for some in (["none.loss"], [f"none.percentiles.unit:0,0,{i}" for i in range(3)] * 9):
        for name in some:
            columns.answer(1, kept, read_fields([name, "batch.loss"]))
            assert columns.size <= 3_000
    assert len(columns) > 1


def test_an_export_is_made_once_and_files_stay_within_their_bytes():
    exports, made = ExportCache(most_bytes=250_000), []

    def make(letter: str) -> list[str]:
        made.append(letter)
        return [letter * 50_000] * 2

    files = [exports.file(("run", "csv"), 1, lambda: make("a")) for _ in range(300)]
    assert made == ["a"]
    assert all(file is files[0] for file in files)
    assert b"".join(files[0]) == b"a" * 100_000
    exports.file(("run", "csv"), 2, lambda: make("b"))
    assert exports.size == 100_000
    for run in range(20):
        exports.file((f"run {run}", "json"), 1, lambda: make("c"))
        assert exports.size <= 250_000
    huge = exports.file(("huge", "npz"), 1, lambda: [b"x" * 300_000])
    assert b"".join(huge) == b"x" * 300_000
    assert max(map(len, huge)) == PIECE
    assert exports.size <= 250_000


def test_with_too_many_bytes_on_their_way_a_file_that_was_made_is_not_sent():
    sending = RunningDownloads()
    sending.check("npz")
    sending.files.append([bytes(MOST_SENT_BYTES)])
    for refused in (lambda: sending.check("csv"), lambda: sending.send([b"a"], "a", "npz")):
        with pytest.raises(TooOften) as error:
            refused()
        assert error.value.seconds == RETRY_SECONDS


def test_a_file_that_is_not_taken_is_let_go_and_one_text_is_held_once():
    sending, text = RunningDownloads(), [b"a" * 10, b"b" * 5]
    held, got = [], []

    async def take(message: dict[str, object]) -> None:
        held.append(sending.size)
        got.append(message.get("body", b""))

    async def stuck(message: dict[str, object]) -> None:
        await asyncio.Event().wait()

    async def both() -> None:
        def file(seconds: float) -> FileDownload:
            return FileDownload(text, name="a", media_type="text/csv", running=sending,
                            send_seconds=seconds)  # fmt: skip

        scope = {"type": "http", "path_params": {"run": "0" * 32}}
        await asyncio.gather(file(0.02)(scope, None, stuck), file(9)(scope, None, take))

    asyncio.run(both())
    assert b"".join(got) == b"a" * 10 + b"b" * 5
    assert set(held) == {15}
    assert sending.size == 0


def test_the_csv_has_the_columns_of_every_probe_that_was_ever_measured():
    truth, history = Truth(), History(2**23)
    for shown, body, _ in played([Turn(0), Turn(1, late=True), Turn(1)], truth):
        history.add(shown.step, body)
    first = json.loads(next(iter(history)).body)
    late = {name: spec for name, spec in first["arrays"].items() if ".jacobian." not in name}
    history.add(0, orjson.dumps({**first, "arrays": late}))
    header = next(iter(csv_lines(list(history)))).strip().split(",")
    assert any("none.jacobian." in column for column in header)
