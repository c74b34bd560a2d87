"""Requests for slow probes, and the non-blocking link to the process that measures them."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
import traceback
from typing import Any, NoReturn

from bnviz.experiment import Experiment
from bnviz.live import log
from bnviz.live.protocol.wire import Header, WireError
from bnviz.live.worker import measurer
from bnviz.live.worker.pipes import Pipes
from bnviz.live.worker.probe_schedule import ProbeSchedule
from bnviz.pieces import Pieces
from bnviz.training.checkpoint import unpack

# Seconds between two checks of whether a slow probe of a stepping run is due.
CHECK_SECONDS = 0.1
# Seconds of silence after which the measuring process counts as hung and is replaced.
PATIENCE_SECONDS = 60.0


class SlowProbes:
    """Requests for one run's slow probes, one at a time."""

    def __init__(self, start: Header, probe_schedule: ProbeSchedule, link: Link) -> None:
        self._head = {name: start[name] for name in ("run", "generation", "config")}
        self._probe_schedule, self._link = probe_schedule, link
        self._requested_at = 0.0
        self._due, self._looked_until = math.inf, -math.inf

    def due(self, step: int, now: float, *, standing: bool) -> float:
        """Return when the next request is due, or infinity if only a change can make one due.

        If the run is not stepping (`standing`), each probe is due once at the current step.
        """
        if standing:
            return now if self._probe_schedule.slow_due(step, now, standing=True) else math.inf
        # This is called many times per second, so reuse a recent result.
        if now >= self._looked_until:
            self._looked_until = now + CHECK_SECONDS
            self._due = self._probe_schedule.next_slow_due(now)
        return self._due

    def request(self, experiment: Experiment, now: float, *, standing: bool) -> Pieces[None] | None:
        """Request the probes that are due. Return the work to do before the next step, if any."""
        names = self._probe_schedule.slow_due(experiment.step_number, now, standing=standing)
        if names:
            self._looked_until = -math.inf
            return self._send_checkpoint(experiment, names)
        # Every probe whose values are old enough to be due already has values of the current step.
        self._due, self._looked_until = math.inf, now + CHECK_SECONDS
        return None

    def _send_checkpoint(self, experiment: Experiment, names: tuple[str, ...]) -> Pieces[None]:
        """Take a checkpoint in pieces, and request measurements of the probes `names` on it."""
        self._requested_at = time.perf_counter()
        self._probe_schedule.under_way = names
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self._link.request(
            {
                **self._head, "type": "measure", "names": names,
                "step": experiment.step_number,
            },
            checkpoint,
        )  # fmt: skip

    def take_answer(self, header: Header, payload: bytes) -> bool:
        """Process an answer from the link. Return whether the answer contains values."""
        if header["generation"] != self._head["generation"]:
            return False
        if header["type"] != "measured":
            self._probe_schedule.give_up(header["names"])
            return False
        found = unpack(payload)
        self._probe_schedule.take_slow(header["step"], found, header["seconds"], self._requested_at)
        return True


class MeasurerLink:
    """Link to the measuring process, started at the first request and again after a failure.

    Attributes:
        restarted: number of restarts, or -1 before the first start.
        pipes: pipes to wait for, in addition to the hub's, or None while there is no process.
    """

    def __init__(self, process: ForkedMeasurer | None = None) -> None:
        self.restarted = -1
        self._process: subprocess.Popen[bytes] | ForkedMeasurer | None = None
        self.pipes: Pipes | None = None
        # Requests that have not been answered yet, by run.
        self._unanswered: dict[str, tuple[Header, bytes]] = {}
        # Id of the run that is being measured, and the time of the last message from the process.
        self._working: str | None = None
        self._last_message_at = 0.0
        self._has_answered = False
        if process is not None:
            self._connect(process)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def warm_up(self) -> None:
        """Start the process if it is not running, because there will soon be a request."""
        if self.pipes is None:
            self._start()

    def request(self, header: Header, checkpoint: bytes) -> None:
        """Send a "measure" request with a checkpoint. `answers` returns the result later."""
        if not self._unanswered:
            self._last_message_at = time.monotonic()
        self._unanswered[header["run"]] = (header, checkpoint)
        if self.pipes is None:
            self._start()
        else:
            self.pipes.send(header, checkpoint)

    def forget(self, run: str) -> None:
        """Drop the request of a run that has ended, and the process's data of this run."""
        self._unanswered.pop(run, None)
        if self.pipes is not None:
            self.pipes.send({"type": "forget", "run": run})

    def answers(self) -> list[tuple[Header, bytes]]:
        """Return new answers of the types "measured" and "failed".

        A request also fails if the process dies or hangs while measuring it.
        """
        if self.pipes is None:
            return []
        try:
            messages = self.pipes.receive(0.0)
        except WireError:
            messages, self.pipes.closed = [], True
        if messages:
            self._has_answered, self._last_message_at = True, time.monotonic()
        found = [message for message in messages if self._is_answer(*message)]
        if self.pipes.closed:
            found += self._replace_process("the process ended")
        elif self._unanswered and time.monotonic() - self._last_message_at > PATIENCE_SECONDS:
            found += self._replace_process("no message for too long")
        return found

    def close(self) -> None:
        process, self._process, self.pipes = self._process, None, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def _is_answer(self, header: Header, _payload: bytes) -> bool:
        """Record what is being measured. Return whether a message answers a pending request."""
        kind = header["type"]
        self._working = header["run"] if kind == "working" else None
        request = self._unanswered.get(header["run"])
        if kind == "working" or request is None:
            return False
        if (request[0]["generation"], request[0]["step"]) != (header["generation"], header["step"]):
            return False
        del self._unanswered[header["run"]]
        return True

    def _replace_process(self, why: str) -> list[tuple[Header, bytes]]:
        """Restart the process. Drop the requests to blame, and return "failed" answers to them."""
        culprit, self._working = self._working, None
        log.event("measuring process replaced", why=why, run=culprit or "", pid=self.pid)
        self.close()
        # If the process has never sent a message, a new one would fail too, so give up all
        # requests.
        blamed = [culprit] if self._has_answered else list(self._unanswered)
        failed = [self._unanswered.pop(run)[0] for run in blamed if run in self._unanswered]
        if self._unanswered:
            self._start()
        return [({**header, "type": "failed"}, b"") for header in failed]

    def _start(self) -> None:
        # A fork would be faster, but this process now has threads, and a lock held by a thread
        # would never be released in the fork.
        self._connect(
            subprocess.Popen(
                [sys.executable, "-m", "bnviz.live.worker.measurer"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )
        )  # fmt: skip

    def _connect(self, process: subprocess.Popen[bytes] | ForkedMeasurer) -> None:
        self.restarted += 1
        self._last_message_at = time.monotonic()
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.pipes = Pipes(process.stdout.fileno(), process.stdin.fileno())
        self._has_answered = False
        log.event("measuring process started", pid=process.pid)
        for header, checkpoint in self._unanswered.values():
            self.pipes.send(header, checkpoint)

    def status(self) -> dict[str, Any]:
        return {
            "pid": self.pid, "restarted": max(0, self.restarted),
            "unanswered": len(self._unanswered), "working": self._working is not None,
        }  # fmt: skip


class OwnMeasurer:
    """Measurer in this process, because a second process would need its own CUDA context.

    It has the interface of `MeasurerLink`. The worker gives it time slices.
    """

    pipes: Pipes | None = None

    def __init__(self) -> None:
        self._answers: list[tuple[Header, bytes]] = []
        self._measurer = measurer.Measurer(self.send, at_once=1)

    def send(self, header: Header, payload: bytes = b"") -> None:
        """Store an answer from the measurer until the next call of `answers`."""
        if header["type"] != "working":
            self._answers.append((header, payload))

    def warm_up(self) -> None:
        """Do nothing: there is no process to start."""

    def request(self, header: Header, checkpoint: bytes) -> None:
        self._measurer.handle(header, checkpoint)

    def forget(self, run: str) -> None:
        self._measurer.handle({"type": "forget", "run": run}, b"")

    @property
    def working(self) -> str | None:
        """Id of the run that the next slice measures, or None if there is nothing to measure."""
        return self._measurer.next_run

    def work(self) -> None:
        self._measurer.work()

    def answers(self) -> list[tuple[Header, bytes]]:
        found, self._answers = self._answers, []
        return found

    def close(self) -> None:
        """Do nothing, because the measurer ends together with this process."""

    def status(self) -> dict[str, Any]:
        return {"pid": os.getpid(), "restarted": 0, "unanswered": 0, "working": bool(self.working)}


# Link to the measurer of slow probes, which is a second process or this process.
Link = MeasurerLink | OwnMeasurer


class ForkedMeasurer:
    """Measuring process forked from this process, which has already imported all modules.

    Fork only a process that has no threads, has computed nothing and has used no CUDA device. The
    new process closes its copies of `pipes`, which belong to this process.
    """

    def __init__(self, pipes: Pipes, niceness: int) -> None:
        inlet, stdin = os.pipe()
        stdout, outlet = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _measure(inlet, outlet, (stdin, stdout, *pipes.ends), niceness)
        os.close(inlet)
        os.close(outlet)
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait until the process has ended. Return its exit status as the system reports it."""
        return os.waitpid(self.pid, 0)[1]


def _measure(inlet: int, outlet: int, others: tuple[int, ...], niceness: int) -> NoReturn:
    """Measure until `inlet` closes, then exit the process. This function never returns."""
    try:
        # Close these copies of the worker's pipe ends. While they are open, a pipe does not close
        # when the worker exits.
        for end in others:
            os.close(end)
        os.dup2(inlet, 0)
        os.dup2(outlet, 1)
        os.close(inlet)
        os.close(outlet)
        os.nice(niceness)
        measurer.main()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
