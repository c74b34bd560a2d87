"""Structured log on stderr: one JSON object per line. Repeated lines are left out and counted."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from bnviz.recently_used import RecentlyUsed

_NAME = "bnviz.live"
# Maximum number of lines of one kind within `SECONDS`. Lines with a traceback are long, so fewer of
# them are logged.
SECONDS = 60.0
MOST_LINES, MOST_TRACES = 300, 5
# Maximum number of kinds of lines that are counted at a time, and number of characters of a message
# that identify the kind of its line.
MOST_KINDS, KIND_LENGTH = 1_000, 120
# Other packages whose loggers are limited too.
OTHERS = ("asyncio", "streamlit", "uvicorn", "websockets")

LineKind = tuple[Any, ...]


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": round(record.created, 3),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


class _Stderr(logging.StreamHandler[Any]):
    """Handler that writes to the current `sys.stderr`, even after it has been replaced."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def set_up(level: str) -> None:
    """Log to stderr with a limit on repeated lines. A second call changes only the level."""
    logger = logging.getLogger(_NAME)
    logger.setLevel(level.upper())
    logger.propagate = False
    if not logger.handlers:
        handler = _Stderr()
        handler.setFormatter(_Lines())
        logger.addHandler(handler)
    limit_repeats(_repeats, logger)


def event(
    what: str, *, level: int = logging.INFO, exc_info: bool | BaseException = False, **facts: Any
) -> None:
    """Log an event. Cut ids short, because anyone who knows a full id may watch that run."""
    for name in ("run", "map"):
        if isinstance(whole := facts.get(name), str):
            facts[name] = whole[:8]
    logging.getLogger(_NAME).log(level, what, extra={"facts": facts}, exc_info=exc_info)


def _report_left_out(logger: str, message: str, count: int) -> None:
    event("lines left out", level=logging.WARNING, logger=logger, message=message, count=count)


class RepeatFilter(logging.Filter):
    """Filter that passes the first lines of each kind, and reports how many further lines it left
    out.

    Lines with a traceback are of one kind if the same exception came from the same place. Other
    lines are of one kind if their messages are equal before formatting.
    """

    def __init__(
        self,
        report: Callable[[str, str, int], None],
        later: Callable[[float, Callable[[], None]], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._report, self._later, self._clock = report, later, clock
        self._lock = threading.Lock()
        # Per kind: start of its counting period in monotonic seconds, and number of lines since
        # then.
        self._counts: RecentlyUsed[LineKind, tuple[float, int]] = RecentlyUsed(MOST_KINDS)
        # Per kind, for the next report: logger and message of the first line, and number of lines
        # left out.
        self._left_out: dict[LineKind, tuple[str, str, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        kind, traced = _kind(record)
        with self._lock:
            now = self._clock()
            began, lines = self._counts.use(kind) or (now, 0)
            if now - began >= SECONDS:
                began, lines = now, 0
            self._counts.put(kind, (began, lines + 1))
            if lines < (MOST_TRACES if traced else MOST_LINES):
                return True
            first = not self._left_out
            if kind in self._left_out or len(self._left_out) < MOST_KINDS:
                logger, message, before = self._left_out.get(
                    kind, (record.name, _message(record), 0)
                )
                self._left_out[kind] = logger, message, before + 1
        if first:
            self._later(SECONDS, self._report_all)
        return False

    def _report_all(self) -> None:
        with self._lock:
            left_out, self._left_out = self._left_out, {}
        for logger, message, count in left_out.values():
            self._report(logger, message, count)


def limit_repeats(repeats: RepeatFilter, own: logging.Logger) -> None:
    """Limit the lines of `own`, and of existing loggers from the packages in `OTHERS`."""
    own.addFilter(repeats)
    logging.getLogger("asyncio").addFilter(repeats)
    # A logger's filter does not see the records of its child loggers.
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.partition(".")[0] in OTHERS and isinstance(logger, logging.Logger):
            logger.addFilter(repeats)


def call_later(seconds: float, call: Callable[[], None]) -> None:
    """Call a function after a delay, on a thread that does not keep the process alive."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()


def _message(record: logging.LogRecord) -> str:
    return str(record.msg).partition("\n")[0][:KIND_LENGTH]


def _kind(record: logging.LogRecord) -> tuple[LineKind, bool]:
    """Return the kind of a line, and whether the line has a traceback."""
    if not record.exc_info or record.exc_info[0] is None:
        return (record.name, record.levelno, _message(record)), False
    trace = record.exc_info[2]
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = trace and (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return (record.name, record.exc_info[0], place), True


@contextmanager
def guarded(what: str, **facts: Any) -> Iterator[None]:
    """Log an exception raised in the block, with its traceback, and continue after the block."""
    try:
        yield
    except Exception:
        event(what, level=logging.ERROR, exc_info=True, **facts)


_repeats = RepeatFilter(_report_left_out, call_later)
