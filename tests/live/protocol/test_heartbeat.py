"""Shared memory page that names the run in a worker's current slice, so that slow slices can be
detected.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bnviz.live.protocol.heartbeat import Heartbeat, shared_page
from bnviz.live.runs.worker_process import HangWatch
from tests.live.conftest import until


@pytest.mark.parametrize("in_memory", [True, False], ids=["a file in memory", "a file"])
def test_a_slice_is_seen_from_its_begin_to_its_end_through_the_shared_page(monkeypatch, in_memory):
    if not in_memory:
        monkeypatch.delattr(os, "memfd_create", raising=False)
    with shared_page() as page:
        worker, hub = Heartbeat.of(["worker.py", f"--heartbeat={page}"]), Heartbeat(page)
    assert hub.read() is None
    worker.begin("a" * 32, 0.25)
    first = hub.read()
    assert (first.run, first.step_seconds) == ("a" * 32, 0.25)
    with worker.slice_of("b"):
        assert hub.read().run == "b"
        assert hub.read().count == first.count + 1
    assert hub.read() is None


def test_a_slice_that_ends_in_trouble_is_over():
    page = Heartbeat()
    with pytest.raises(ZeroDivisionError), page.slice_of("r"):
        _ = 1 / 0
    assert page.read() is None


def test_a_reader_never_sees_half_a_slice():
    page, over = Heartbeat(), threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            number += 1
            page.begin(str(number % 10) * 32, float(number % 10))

    writer = threading.Thread(target=write)
    writer.start()
    seen, reads = set(), 0
    try:
        # The writing and the reading thread may get little CPU time, so read until enough different
        # values have been seen.
        while reads < 20_000 or len(seen) < 5:
            reads += 1
            if (current := page.read()) is not None:
                assert current.run == f"{current.step_seconds:g}" * 32
                seen.add(current.run)
    finally:
        over.set()
        writer.join()


def in_slice(program: str, step_seconds: float = 2.0):
    """Return a page that reports a slice in progress, and a new process that runs `program`."""
    page = Heartbeat()
    page.begin("r", step_seconds)
    return page, subprocess.Popen([sys.executable, "-c", program])


def state(process) -> str:
    return Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]


def test_a_stopped_worker_hangs_after_the_setting_and_four_steps_of_its_run():
    page, process = in_slice("import time; time.sleep(600)")
    try:
        process.send_signal(signal.SIGSTOP)
        until(lambda: state(process) == "T")
        watch = HangWatch(page, process.pid)
        assert watch.overdue(5.0, now=100.0) is None
        assert watch.overdue(5.0, now=107.9) is None
        assert watch.overdue(7.0, now=108.1).run == "r"
        page.begin("s", 2.0)
        assert watch.overdue(9.0, now=500.0) is None, "another slice: counted from now on"
        assert watch.overdue(9.0, now=508.9) is None
        assert watch.overdue(9.0, now=509.1).run == "s"
        page.end()
        assert watch.overdue(9.0, now=900.0) is None
    finally:
        process.kill()
        process.wait()


def test_a_worker_that_wants_to_work_and_gets_no_processor_does_not_hang():
    page, process = in_slice("print(flush=True)\nwhile True: pass")
    try:
        until(lambda: state(process) == "R")
        watch = HangWatch(page, process.pid)
        assert watch.overdue(5.0, now=100.0) is None
        assert watch.overdue(5.0, now=10_000.0) is None
    finally:
        process.kill()
        process.wait()


def test_a_worker_that_computes_without_end_hangs():
    page, process = in_slice("while True: pass", step_seconds=0.0)
    try:
        watch = HangWatch(page, process.pid)
        clock = iter(range(100, 10**9, 100))
        assert until(lambda: watch.overdue(0.0, now=next(clock))), "its CPU time counts"
    finally:
        process.kill()
        process.wait()


def test_where_a_system_tells_nothing_of_its_processes_all_time_counts():
    page, nobody = Heartbeat(), 2**22 + 1
    page.begin("r", 1.0)
    watch = HangWatch(page, nobody)
    assert watch.overdue(5.0, now=100.0) is None
    assert watch.overdue(5.0, now=104.9) is None
    assert watch.overdue(5.0, now=105.1).run == "r"


def test_a_worker_process_maps_the_page_that_it_is_given():
    program = (
        "import sys; from bnviz.live.protocol.heartbeat import Heartbeat;"
        "page = Heartbeat.of(sys.argv); page.begin('from there', 1.0)"
    )
    with shared_page() as page:
        hub = Heartbeat(page)
        arguments = [sys.executable, "-c", program, f"--heartbeat={page}"]
        subprocess.run(arguments, pass_fds=[page], check=True, cwd=os.getcwd())
    assert hub.read().run == "from there", (
        "the last activity of a process can be read after its end"
    )
