"""Replays of runs with dragged knobs and multiplied weights are bit-identical, in the engine and
on the command line.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

from bnviz import __main__ as command_line
from bnviz.actions import SCALE_WEIGHTS
from bnviz.change_log import ChangeLog, plain_change
from bnviz.commands.train import to_json
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import plain_gesture
from bnviz.records import Change
from tests.live.conftest import OWNER, SMALL, LiveHub, Watcher, until
from tests.live.faults import worker_of
from tests.live.runs.dragging import drag, rates, slowly


def replayed(config, log, steps: int) -> Experiment:
    experiment = Experiment(config)
    for step in range(steps + 1):
        for change in log:
            if change.step == step:
                experiment.update(drag=change.drag, **change.values)
        if step == 0:
            # take a snapshot as the command line does, because drift is measured from the last
            # snapshot
            experiment.snapshot()
        if step < steps:
            experiment.step()
    return experiment


def three_drags(live: LiveHub, run: str, between: Callable[[], None]) -> Watcher:
    """Drag knobs three times, and multiply weights between the drags. Call `between` during the
    second drag.
    """
    hand = live.watch(run, owner=OWNER)
    hand.frame_at(3)
    slowly(hand, "learning_rate", rates(9, 2.0), 1)
    hand.answer(hand.act(SCALE_WEIGHTS, [2, None]))
    slowly(hand, "batch_size", [3, 5], 2)
    between()
    slowly(hand, "batch_size", [9, 30, 24], 2)
    hand.answer(hand.act(SCALE_WEIGHTS, [0.5, 1]))
    hand.answer(hand.act(SCALE_WEIGHTS, [0.5, 1]))
    hand.answer(drag(hand, "momentum", rates(40, 0.6), 3))
    return hand


def told_gestures(log: ChangeLog) -> Any:
    """Return the gestures of a log as a frame contains them."""
    return json.loads(json.dumps([plain_gesture(gesture) for gesture in log.gestures]))


def last_frame(hand: Watcher, log: list[Change]) -> Any:
    """Return the last frame of a paused run, or False until it contains all changes.

    A frame built before the last change may arrive late and have the status of a paused run.
    """
    whole = ChangeLog(SMALL.model_dump())
    for change in log:
        whole.add(change)
    frame = hand.frames()[-1]
    told = told_gestures(whole)
    return (frame["status"], frame["changes"]) == ("paused", told) and frame


def same_through_every_door(live: LiveHub, run: str, hand: Watcher, tmp_path, capfdbinary) -> None:
    """Check that replaying the log in the engine and on the command line gives the last frame."""
    live.hub.pause(OWNER, run)
    info = live.info(run)
    frame = until(lambda: last_frame(hand, info.changes))
    assert len(info.changes) >= 9 + 5 + 1 + 3
    assert [c.values for c in info.changes if c.drag == 0] == [
        {SCALE_WEIGHTS: (2.0, None)}, {SCALE_WEIGHTS: (0.5, 1)}, {SCALE_WEIGHTS: (0.5, 1)},
    ]  # fmt: skip
    assert len({change.drag for change in info.changes} - {0}) == 3
    experiment = replayed(SMALL, info.changes, frame["step"])
    assert tuple(experiment.changes) == info.changes
    assert told_gestures(experiment.changes) == frame["changes"]
    snapshot = experiment.snapshot()
    for norm, record in snapshot.networks.items():
        told = frame["networks"][norm]
        assert (told["loss"], told["test_loss"]) == (record.loss, record.test_loss)
        assert told["learning_rate"] == record.learning_rate
        assert (told["dip"] is None) == (record.dip is None)
    export = {"config": SMALL.model_dump(), "changes": [plain_change(c) for c in info.changes]}
    (path := tmp_path / "run.json").write_text(json.dumps(export))
    arguments = ["train", "--changes", str(path), "--steps", str(frame["step"]), "--every", "9999"]
    assert command_line.main(arguments) == 0
    line = json.loads(capfdbinary.readouterr().out.splitlines()[-1])
    assert line == json.loads(json.dumps(to_json(snapshot)))


def test_a_run_whose_worker_is_killed_in_a_drag_is_replayed_bit_for_bit(
    mortal: LiveHub, tmp_path, capfdbinary
):
    run = mortal.hub.start(OWNER, SMALL, pace="fast")

    def kill() -> None:
        os.kill(worker_of(mortal, run).pid, signal.SIGKILL)

    hand = three_drags(mortal, run, kill)
    assert mortal.info(run).config.batch_size == 24
    same_through_every_door(mortal, run, hand, tmp_path, capfdbinary)
