"""A worker's end of the process that measures slow probes. Nothing here waits.

Slow probes of one run, measured in another process: when, and one request at a time.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
import traceback
from typing import Any, NoReturn

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live import log
from bnviz.live.protocol.wire import Header, WireError
from bnviz.live.worker import measurer
from bnviz.live.worker.pipes import Pipes
from bnviz.live.worker.probe_schedule import ProbeSchedule
from bnviz.pieces import Pieces
from bnviz.training.checkpoint import unpack

# A measuring process that has sent nothing for so long hangs: it is ended and started again.
PATIENCE_SECONDS = 60.0


class ForkedMeasurer:
    """A measuring process that is a copy of this one: it has imported everything already.

    Only for a process without threads, that has computed nothing yet and used no CUDA device.

    Args:
        pipes: this process's own, which are not the copy's.
        niceness: how much nicer than it is now this process will be.

    Attributes:
        stdin, stdout: ends of its pipes.
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
        """End it at once."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait until it has ended. Returns how, as the system says it."""
        return os.waitpid(self.pid, 0)[1]


def _measure(inlet: int, outlet: int, others: tuple[int, ...], niceness: int) -> NoReturn:
    """Be a measuring process until `inlet` ends; nothing after this is run in it."""
    try:
        # What it held open, nobody would see close.
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


class MeasurerLink:
    """Starts the process when it is first asked, and again when it has died.

    Args:
        process: one that runs already.

    Attributes:
        restarted: how often it had to be started again.
    """

    def __init__(self, process: ForkedMeasurer | None = None) -> None:
        self.restarted = -1
        self._process: subprocess.Popen[bytes] | ForkedMeasurer | None = None
        self._pipes: Pipes | None = None
        # Requests that were not answered yet, by run.
        self._unanswered: dict[str, tuple[Header, bytes]] = {}
        # The run that it measures, and when it last sent something.
        self._working: str | None = None
        self._last_message_at = 0.0
        self._has_answered = False
        if process is not None:
            self._talk_to(process)

    @property
    def pid(self) -> int | None:
        """Of the process, or None before there is one."""
        return None if self._process is None else self._process.pid

    @property
    def pipes(self) -> Pipes | None:
        """To wait for, besides messages of the hub."""
        return self._pipes

    def warm_up(self) -> None:
        """Start the process: there will soon be something to measure."""
        if self._pipes is None:
            self._start()

    def ask(self, header: Header, checkpoint: bytes) -> None:
        """Have a run measured; answered later, by one of `answers`."""
        if not self._unanswered:
            self._last_message_at = time.monotonic()
        self._unanswered[header["run"]] = (header, checkpoint)
        if self._pipes is None:
            self._start()
        else:
            self._pipes.send(header, checkpoint)

    def forget(self, run: str) -> None:
        """A run is over."""
        self._unanswered.pop(run, None)
        if self._pipes is not None:
            self._pipes.send({"type": "forget", "run": run})

    def answers(self) -> list[tuple[Header, bytes]]:
        """What has come since, and what will not come any more: type "measured" or "failed"."""
        if self._pipes is None:
            return []
        try:
            heard = self._pipes.receive(0.0)
        except WireError:
            heard, self._pipes.closed = [], True
        if heard:
            self._has_answered, self._last_message_at = True, time.monotonic()
        found = [message for message in heard if self._take(*message)]
        if self._pipes.closed:
            found += self._lost("its process ended")
        elif self._unanswered and time.monotonic() - self._last_message_at > PATIENCE_SECONDS:
            found += self._lost("it took too long")
        return found

    def close(self) -> None:
        """End the process."""
        process, self._process, self._pipes = self._process, None, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def _take(self, header: Header, _payload: bytes) -> bool:
        """Note what the process is doing. Returns whether this is an answer still waited for."""
        kind = header["type"]
        if kind == "working":
            self._working = header["run"]
        elif kind in ("idle", "next"):
            self._working = None
        asked = self._unanswered.get(header.get("run", ""))
        if kind not in ("measured", "failed") or asked is None:
            return False
        if (asked[0]["generation"], asked[0]["step"]) != (header["generation"], header["step"]):
            return False
        del self._unanswered[header["run"]]
        return True

    def _lost(self, why: str) -> list[tuple[Header, bytes]]:
        """The process has ended, or hangs: the run that it measured gets no values."""
        culprit, self._working = self._working, None
        log.event("measuring process lost", why=why, run=culprit or "", pid=self.pid)
        self.close()
        # A process that never sent anything would not the next time either: give up all requests.
        blamed = [culprit] if self._has_answered else list(self._unanswered)
        failed = [self._unanswered.pop(run)[0] for run in blamed if run in self._unanswered]
        if self._unanswered:
            self._start()
        return [({**header, "type": "failed", "message": why}, b"") for header in failed]

    def _start(self) -> None:
        # A copy of this process would be faster; by now it has threads, which may hold locks.
        self._talk_to(
            subprocess.Popen(
                [sys.executable, "-m", "bnviz.live.worker.measurer"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )
        )  # fmt: skip

    def _talk_to(self, process: subprocess.Popen[bytes] | ForkedMeasurer) -> None:
        self.restarted += 1
        self._last_message_at = time.monotonic()
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._pipes = Pipes(process.stdout.fileno(), process.stdin.fileno())
        self._has_answered = False
        log.event("measuring process started", pid=process.pid)
        for header, checkpoint in self._unanswered.values():
            self._pipes.send(header, checkpoint)

    def status(self) -> dict[str, Any]:
        """Plain values for `/status`."""
        return {
            "pid": self.pid, "restarted": max(0, self.restarted),
            "unanswered": len(self._unanswered), "working": self._working is not None,
        }  # fmt: skip


# How often it is looked whether something is to be measured.
LOOK_SECONDS = 0.1


class SlowProbes:
    """The requests of one run."""

    def __init__(
        self,
        run: str,
        generation: int,
        config: RunConfig,
        probe_schedule: ProbeSchedule,
        link: MeasurerLink,
    ) -> None:
        self._run, self._generation, self._config = run, generation, config
        self._probe_schedule, self._link = probe_schedule, link
        self._asked_at = 0.0
        self._due, self._looked_until = math.inf, -math.inf

    def due(self, step: int, now: float, *, standing: bool) -> float:
        """When to ask for something.

        Args:
            step: the run's.
            now: seconds of the monotonic clock.
            standing: the run stands still: everything is measured, once.
        """
        if standing:
            return now if self._probe_schedule.slow_due(step, now, standing=True) else math.inf
        # Asked many times a second: what it was a moment ago will do.
        if now >= self._looked_until:
            self._looked_until = now + LOOK_SECONDS
            self._due = self._probe_schedule.next_slow_due(now)
        return self._due

    def ask(self, experiment: Experiment, now: float, *, standing: bool) -> Pieces[None] | None:
        """Ask for what is due, if anything is; the arguments are those of `due`.

        Returns:
            The work for it, for which the run stands still.
        """
        names = self._probe_schedule.slow_due(experiment.step_number, now, standing=standing)
        if names:
            self._looked_until = -math.inf
            return self._hand_over(experiment, names)
        # What is old enough is of this very step.
        self._due, self._looked_until = math.inf, now + LOOK_SECONDS
        return None

    def _hand_over(self, experiment: Experiment, names: tuple[str, ...]) -> Pieces[None]:
        """Send a checkpoint, made in pieces, to have these probes measured on it."""
        self._asked_at = time.perf_counter()
        self._probe_schedule.under_way = names
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self._link.ask(
            {
                "type": "measure", "run": self._run, "generation": self._generation,
                "config": self._config.model_dump(), "names": names,
                "step": experiment.step_number,
            },
            checkpoint,
        )  # fmt: skip

    def answer(self, header: Header, payload: bytes) -> bool:
        """Take in what came of it. Returns whether there are values."""
        if header["generation"] != self._generation:
            return False
        if header["type"] != "measured":
            self._probe_schedule.give_up(header["names"])
            return False
        found = unpack(payload)
        self._probe_schedule.take_slow(header["step"], found, header["seconds"], self._asked_at)
        return True
