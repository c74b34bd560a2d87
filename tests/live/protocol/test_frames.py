from __future__ import annotations

import itertools
import json
import math

import numpy as np

from bnviz.change_log import read_change
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import compose, encode_body, typed, untyped
from bnviz.records import Break, Change, Dip, NetworkRecord, Snapshot, json_number
from bnviz.words.story import tell_story

KINDS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"]


def test_arrays_come_back_as_they_were():
    wrong = []
    for kind, shape in itertools.product(KINDS, ((3,), (2, 3), (2, 1, 4), (0,))):
        array = (np.arange(math.prod(shape)) % 100).reshape(shape).astype(kind)
        back = untyped(typed(array))
        if back.dtype != array.dtype or not np.array_equal(back, array):
            wrong.append((kind, shape, back))
    assert not wrong


def test_an_array_that_is_not_contiguous_keeps_its_order():
    array = np.arange(12, dtype=np.float32).reshape(3, 4).T
    np.testing.assert_array_equal(untyped(typed(array)), array)


def test_kinds_that_browsers_do_not_know_become_ones_they_do():
    kinds = {"int64": "i4", "bool": "u1", "float16": "f4"}
    specs = {given: typed(np.ones(3, dtype=given)) for given in kinds}
    assert {given: spec["dtype"] for given, spec in specs.items()} == kinds
    assert all(spec.keys() == {"dtype", "bdata"} for spec in specs.values())


def test_a_single_number_is_an_array_of_one():
    assert untyped(typed(np.float32(2.5))).tolist() == [2.5]


def test_non_finite_scalars_are_spelled_out():
    values = (math.nan, math.inf, -math.inf)
    assert [json_number(value) for value in values] == ["NaN", "Infinity", "-Infinity"]
    np.testing.assert_array_equal([float(json_number(value)) for value in values], values)


def non_finite() -> Snapshot:
    values = np.array([np.nan, np.inf, -np.inf, 1.0], dtype=np.float32)
    record = NetworkRecord(
        loss=math.nan,
        test_loss=math.inf,
        test_accuracy=-math.inf,
        state="diverged",
        broke=Break.because(7, "layer 2", "nonfinite"),
        probes={"gradients": {"grad_weight_norm": values}},
        learning_rate=0.1,
        stopped=8,
        dip=Dip(step=5, value=0.2, before=0.9, over=6),
    )
    return Snapshot(9, {"none": record})


def test_non_finite_values_travel_everywhere():
    story = {"none": {"headline": ["x", {"value": math.nan}], "detail": [["y", {"n": math.inf}]]}}
    frame = json.loads(compose("r", 3, {}, encode_body(non_finite(), story=story)))
    network = frame["networks"]["none"]
    assert [network[name] for name in ("loss", "test_loss", "test_accuracy")] == [
        "NaN", "Infinity", "-Infinity",
    ]  # fmt: skip
    assert network["story"]["headline"][1] == {"value": "NaN"}
    assert network["story"]["detail"][0][1] == {"n": "Infinity"}
    assert network["broke"] == {
        "step": 7, "layer": "layer 2", "reason": "a non-finite value", "key": "nonfinite",
        "moved": None, "moved_at": None, "unit": None,
    }  # fmt: skip
    assert network["stopped"] == 8
    assert network["dip"] == {"step": 5, "value": 0.2, "before": 0.9, "over": 6}
    back = untyped(frame["arrays"]["none.gradients.grad_weight_norm"])
    np.testing.assert_array_equal(back, [np.nan, np.inf, -np.inf, 1.0])


def test_a_frame_names_run_number_status_step_and_when_each_probe_was_measured():
    status = {"status": "paused", "status_number": 4}
    frame = json.loads(compose("ab", 12, status, encode_body(non_finite())))
    assert (frame["v"], frame["type"], frame["run"], frame["seq"]) == (1, "frame", "ab", 12)
    assert {**status, "step": 9}.items() <= frame.items()
    assert frame["networks"]["none"]["measured_at"] == {"gradients": 9}


def test_only_the_last_changes_travel_in_a_frame():
    changes = [Change(step, {"learning_rate": 0.1}) for step in range(30)]
    frame = json.loads(encode_body(non_finite(), changes=changes))
    assert [change["step"] for change in frame["changes"]] == list(range(10, 30))


def test_changes_come_back_as_they_were():
    change = Change(4, {"learning_rates": (0.1, 1.0), "momentum": 0.9})
    plain = json.loads(json.dumps({"step": change.step, "values": change.values}))
    assert read_change(plain) == change


def test_a_default_frame_of_the_opening_run_is_at_most_12_kilobytes():
    experiment = Experiment(RunConfig())
    for _ in range(3):
        experiment.step()
    snapshot = experiment.snapshot()
    changes = [Change(step, {"learning_rate": 1.0}) for step in range(20)]
    body = encode_body(snapshot, changes=changes, story=tell_story(snapshot, RunConfig(), changes))
    status = {"status": "running", "status_number": 1_000}
    assert len(compose("f" * 32, 100_000, status, body)) <= 12 * 1024
