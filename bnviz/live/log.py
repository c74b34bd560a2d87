"""The structured log: one JSON object a line on stderr."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from bnviz.live.log_repeats import RepeatFilter, call_later, limit_repeats

_NAME = "bnviz.live"


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
    """Writes to the present `sys.stderr`, also after that was replaced."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def set_up(level: str) -> None:
    """Send the log to stderr, and limit repeated lines. A second call only changes the level."""
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
    """Log an event with its facts. Run ids are cut: who knows a whole one may watch the run."""
    if isinstance(run := facts.get("run"), str):
        facts["run"] = run[:8]
    logging.getLogger(_NAME).log(level, what, extra={"facts": facts}, exc_info=exc_info)


def _report_left_out(logger: str, message: str, count: int) -> None:
    event("lines left out", level=logging.WARNING, logger=logger, message=message, count=count)


_repeats = RepeatFilter(_report_left_out, call_later)


@contextmanager
def guarded(what: str, **facts: Any) -> Iterator[None]:
    """Log an exception of the work inside, with its trace, and go on after it."""
    try:
        yield
    except Exception:
        event(what, level=logging.ERROR, exc_info=True, **facts)
