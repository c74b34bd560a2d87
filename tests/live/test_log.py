"""Log lines that repeat are left out, and their number is logged."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import orjson
import pytest

from bnviz.live import log
from bnviz.live.log import (
    MOST_KINDS,
    MOST_LINES,
    MOST_TRACES,
    SECONDS,
    RepeatFilter,
    limit_repeats,
)


class Log:
    """Logger with a `RepeatFilter`, and a clock that the test advances.

    Attributes:
        lines: logged records.
        reports: for each report, the logger, the message and the number of dropped lines.
    """

    def __init__(self, name: str) -> None:
        self.now = 0.0
        self.lines: list[logging.LogRecord] = []
        self.reports: list[tuple[str, str, int]] = []
        self._calls: list[tuple[float, Callable[[], None]]] = []
        self.repeats = RepeatFilter(
            lambda *facts: self.reports.append(facts), self._later, lambda: self.now
        )
        self.logger = logging.getLogger(name)
        self.handler = logging.Handler()
        self.handler.emit = self.lines.append  # type: ignore[method-assign]
        self.logger.addHandler(self.handler)
        self.propagated, self.logger.propagate = self.logger.propagate, False
        # Remove filters of a hub that other tests started in this process.
        self.filters, self.logger.filters = self.logger.filters, []
        limit_repeats(self.repeats, self.logger)

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        self._calls.append((self.now + seconds, call))

    def after(self, seconds: float) -> None:
        self.now += seconds
        due = [call for at, call in self._calls if at <= self.now]
        self._calls = [(at, call) for at, call in self._calls if at > self.now]
        for call in due:
            call()

    def close(self) -> None:
        for logger in logging.root.manager.loggerDict.values():
            if isinstance(logger, logging.Logger):
                logger.removeFilter(self.repeats)
        self.logger.filters = self.filters
        self.logger.removeHandler(self.handler)
        self.logger.propagate = self.propagated


@pytest.fixture(params=["asyncio", "uvicorn.error", "streamlit.a_test"])
def limited(request: pytest.FixtureRequest) -> Iterator[Log]:
    logging.getLogger(request.param)
    found = Log(request.param)
    yield found
    found.close()


def fail(limited: Log, number: int) -> None:
    """Log a traceback whose message differs each time, like the tracebacks of named tasks."""
    try:
        raise OSError(24, f"Too many open files: {number}")
    except OSError:
        limited.logger.exception(f"Task-{number} failed\nfuture: <Task>")


def test_ten_thousand_equal_tracebacks_are_few_lines_and_a_count(limited: Log):
    for number in range(10_000):
        fail(limited, number)
    assert len(limited.lines) == MOST_TRACES
    assert limited.reports == []
    limited.after(SECONDS)
    assert limited.reports == [
        (limited.logger.name, f"Task-{MOST_TRACES} failed", 10_000 - MOST_TRACES)
    ]
    limited.after(SECONDS)
    assert len(limited.reports) == 1
    fail(limited, 0)
    assert len(limited.lines) == MOST_TRACES + 1


def test_lines_of_another_place_or_message_are_not_left_out(limited: Log):
    for number in range(MOST_LINES + 7):
        fail(limited, number)
        limited.logger.warning("Page %d failed", number)
    limited.logger.warning("Another message")
    with_traces = [line for line in limited.lines if line.exc_info]
    assert (len(with_traces), len(limited.lines)) == (MOST_TRACES, MOST_TRACES + MOST_LINES + 1)
    limited.after(SECONDS)
    assert [count for *_, count in limited.reports] == [MOST_LINES + 7 - MOST_TRACES, 7]


def test_kinds_that_are_counted_are_bounded(limited: Log):
    for number in range(3 * MOST_KINDS):
        limited.logger.warning(f"Message {number}")
    assert len(limited.lines) == 3 * MOST_KINDS
    assert len(limited.repeats._counts) == MOST_KINDS


def test_the_servers_own_log_says_in_one_line_what_it_left_out(capsys, monkeypatch):
    calls: list[Callable[[], None]] = []
    repeats = RepeatFilter(log._report_left_out, lambda _seconds, call: calls.append(call))
    monkeypatch.setattr(log, "_repeats", repeats)
    logger = logging.getLogger("bnviz.live")
    before = logger.filters[:]
    logger.filters.clear()
    try:
        log.set_up("info")
        for number in range(MOST_LINES + 3):
            log.event("origin refused", origin=f"http://{number}.example")
        (report,) = calls
        report()
    finally:
        logger.filters[:] = before
        for other in logging.root.manager.loggerDict.values():
            if isinstance(other, logging.Logger):
                other.removeFilter(repeats)
    lines = [orjson.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == ["origin refused"] * MOST_LINES + ["lines left out"]
    left = lines[-1]
    assert (left["logger"], left["message"], left["count"]) == ("bnviz.live", "origin refused", 3)
