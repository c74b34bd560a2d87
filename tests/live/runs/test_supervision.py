"""The hub's supervision continues after a failure of any run or worker.

The workers are small programs that send a test's messages over the real pipe.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from bnviz.live.protocol.wire import MAX_HEADER
from bnviz.live.runs.run import Run
from bnviz.records import Change
from tests.live.conftest import OWNER, SMALL, until


@pytest.fixture
def workers(stubs, capfd):
    """Return a function that starts hubs whose workers run the test's code."""

    def served(says: str = "", hears: str = "pass", **limits):
        return stubs(says, hears, **limits)

    return served


@pytest.fixture
def logged(capfd):
    """Return a function that returns all events of a kind that have been logged so far."""
    lines: list[dict] = []

    def events(what: str) -> list[dict]:
        for line in capfd.readouterr().err.splitlines():
            if line.startswith("{"):
                lines.append(json.loads(line))
        return [line for line in lines if line["event"] == what]

    return events


def status(live):
    return live.call(live.hub.viewers.status)


def start(live) -> Run:
    """Start a run and return its object in the hub, which still exists after the run has ended."""
    with live.hub.registry.lock:
        return live.hub.registry.runs[live.hub.start(OWNER, SMALL)]


BROKEN = [
    '{"type": "frame"}',
    '{"type": "pong"}',
    '{"type": "frame", "run": None, "generation": []}',
    '{"type": "checkpoint_for", "run": "no such run"}',
    '{"type": "such a message there is not", "run": "0", "generation": 1}',
]


def test_messages_that_cannot_be_taken_in_do_not_end_their_reader(workers, logged):
    says = "; ".join(f"say({message})" for message in BROKEN)
    with workers(f"{says}; say({{'type': 'frame'}})") as live:
        until(lambda: status(live)["workers"] and status(live)["workers"][0]["busy_seconds"] == 3.0)
        assert status(live)["worker_deaths"] == 0
        # Messages for unknown runs are not logged. The last message follows all the others.
        until(lambda: len(logged("message handling failed")) == 3)


def test_trouble_with_a_message_is_logged_with_its_trace(workers, logged):
    with workers('say({"type": "frame"})'):
        (event,) = until(lambda: logged("message handling failed"))
    assert (event["level"], event["kind"]) == ("error", "frame")
    assert "KeyError: 'run'" in event["trace"]


def test_frames_of_a_run_that_are_nonsense_cost_neither_the_run_nor_the_reader(workers, logged):
    hears = (
        'h = {"run": header.get("run"), "generation": header.get("generation")}\n'
        '        if header["type"] == "start":\n'
        '            say({"type": "frame", "step": None, **h})\n'
        '            say({"type": "note", "message": "heard", **h})'
    )
    with workers(hears=hears) as live:
        held = start(live)
        until(lambda: held.note == "heard")
        assert until(lambda: logged("message handling failed"))[0]["kind"] == "frame"


@pytest.mark.parametrize(
    "nonsense", ["b'?' * 9000", "bytes(8) + b'x'", "(2).to_bytes(4) + bytes(4) + b'[]'"]
)
def test_a_worker_that_speaks_nonsense_is_killed_and_replaced(workers, logged, nonsense):
    # This worker does not read its stdin, so it would not end by itself.
    with workers(f"os.write(1, {nonsense}); import time; time.sleep(600)") as live:
        held = start(live)
        until(lambda: status(live)["workers_replaced"] >= 2)
        assert until(lambda: logged("invalid message from worker"))
        assert (held.placement.failure, held.placement.deaths) == (None, []), (
            "the failure is not attributed to a run"
        )


def test_housekeeping_of_one_run_that_fails_does_not_end_that_of_others(workers, logged):
    with workers(grace_seconds=0.1) as live:
        broken, good = start(live), start(live)
        broken.last_watched = None
        until(lambda: not good.attended)
        with live.limited(lease_seconds=0.2):
            until(lambda: live.hub.info(good.id) is None)
        (event, *_) = until(lambda: logged("housekeeping of a run failed"))
        assert "TypeError" in event["trace"]
        assert event["run"] == broken.id[:8]


def test_housekeeping_goes_on_after_a_pass_that_fails(workers, logged):
    with workers(grace_seconds=0.1) as live:
        state = live.hub.registry
        runs, state.runs = state.runs, None
        until(lambda: logged("housekeeping failed"))
        state.runs = runs
        held = start(live)
        until(lambda: not held.attended)


def test_a_place_is_filled_and_its_other_runs_given_again_when_one_of_them_fails(workers, logged):
    with workers() as live:
        broken, good = start(live), start(live)
        live.watch(broken.id), live.watch(good.id)
        until(lambda: status(live)["workers"])
        broken.log = [None]
        before = good.placement.generation
        os.kill(*live.pids(), signal.SIGKILL)
        until(lambda: status(live)["workers_replaced"] == 1)
        assert until(lambda: logged("run not started"))[0]["run"] == broken.id[:8]
        assert good.placement.generation > before


def test_a_worker_that_says_nothing_is_replaced_and_nobody_blamed(workers, logged):
    with workers("import time; time.sleep(600)", silence_seconds=1.0) as live:
        held = start(live)
        until(lambda: logged("worker silent"))
        until(lambda: status(live)["workers_replaced"] >= 1)
        assert held.placement.deaths == []


def test_a_worker_that_cannot_be_started_is_tried_again(workers, logged, tmp_path):
    runs = tmp_path / "runs"
    with workers(f"open({str(runs)!r}, 'w')") as live:
        # Wait for the file: before it exists, the process may not have opened its program yet.
        until(runs.exists)
        program = Path(sys.executable)
        words = program.read_text("utf-8")
        program.unlink()
        os.kill(*live.pids(), signal.SIGKILL)
        until(lambda: logged("worker did not start"))
        program.write_text(words, "utf-8")
        program.chmod(0o755)
        until(lambda: status(live)["workers_replaced"] == 1)


def test_a_run_that_no_message_can_carry_is_ended_with_the_reason(workers):
    with workers() as live:
        run = live.hub.start(OWNER, SMALL)
        watcher = live.watch(run)
        change = Change(0, {"learning_rates": (0.12345678901234567,) * 2})
        held = live.hub.registry.runs[run]
        with live.hub.registry.lock:
            for _ in range(MAX_HEADER // 50):
                held.log.add(change)
            live.hub.registry.start_on_worker(held)
        until(lambda: live.info(run).status == "error")
        assert "is too large" in live.info(run).error
        assert until(lambda: watcher.said("notice"))[0]["key"] == "error"
