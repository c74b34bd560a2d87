"""Files and log lines that other programs read, and limits on uploaded data."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Iterator
from contextlib import redirect_stderr
from typing import Any

import numpy as np

from bnviz.commands import arguments, claim
from bnviz.commands import sweep as sweep_command
from bnviz.commands import train as train_command
from bnviz.data import idx
from bnviz.lessons import report
from bnviz.live import contract, log
from bnviz.live.protocol import client_messages
from bnviz.live.runs import history
from bnviz.own_talks import file as talk_file
from bnviz.own_talks import talk_cache
from bnviz.planned_runs import plan
from bnviz.sweeps import setting, sweep
from bnviz.ui import query_schema, tab_run
from bnviz.ui.lessons import handed_in
from tests.compatibility.commands import shape
from tests.compatibility.server import browser


def surface() -> dict[str, Any]:
    return dict((*_limits(), *_digits(), *_log()))


def _limits() -> Iterator[tuple[str, Any]]:
    """Yield the upper limits of files and texts from outside. A limit may be raised, but not
    lowered.
    """
    limits = {
        "bytes of a report": contract.LONGEST_REPORT,
        "networks of a report": report.MOST_REPORTED,
        "characters of a key in a report": report.LONGEST_KEY,
        "steps of a report that are made again": report.MOST_STEPS_AGAIN,
        "characters of a name in a report": contract.LONGEST_NAME,
        "characters of a link that is handed in": contract.LONGEST_LINK,
        "parameters of a link that is handed in": handed_in.MOST_PARAMETERS,
        "reports that are handed in at once": contract.MOST_HANDED_IN,
        "changes in a link or a report": plan.MOST_PLANNED_CHANGES,
        "steps in a link": plan.MOST_STEPS,
        "seed in a link": query_schema.MOST_SEED,
        "zooms in a link": query_schema.MOST_ZOOMS,
        "characters of a reason in a link": query_schema.LONGEST_REASON,
        "characters of a query": tab_run.LONGEST_QUERY,
        "rungs of an axis in a link": setting.MOST_RUNGS,
        "steps of a map": setting.MOST_STEPS,
        "seeds of a map": setting.MOST_SEEDS,
        "networks of a map": setting.MOST_NETWORKS,
        "bytes of a talk": talk_file.MOST_BYTES,
        "stations of a talk": talk_file.MOST_STATIONS,
        "characters of a title in a talk": talk_file.LONGEST_TITLE,
        "characters of a sentence in a talk": talk_file.LONGEST_SENTENCE,
        "characters of notes in a talk": talk_file.LONGEST_NOTES,
        "steps before a station of a talk": talk_file.MOST_AT_ONCE,
        "last step in a talk": talk_file.LAST_STEP,
        "characters of a talk in a link": talk_cache.MOST_PACKED,
        "characters of a question": contract.LONGEST_TEXT,
        "characters of an answer": contract.LONGEST_ANSWER,
        "characters of a sentence to a class": contract.LONGEST_SENTENCE,
        "answers of a question": contract.MOST_ANSWERS,
        "rounds of a question": contract.MOST_ROUNDS,
        "hands that are counted": contract.MOST_HANDS,
        "levels of a client message": client_messages.MOST_LEVELS,
        "changes of a run": history.MOST_LOGGED_CHANGES,
        "train --steps": train_command.MAX_STEPS,
        "sweep --steps": sweep.MOST_STEPS,
        "sweep networks": sweep.MOST_CELLS,
        "sweep --workers": sweep_command.MAX_WORKERS,
        "claim --seeds": claim.MAX_SEEDS,
        "claim --first-seed": claim.MAX_FIRST_SEED,
        "claim --workers": claim.MAX_WORKERS,
        "drag in a file of changes": arguments.MAX_DRAG,
        "images of a data file": idx.MAX_COUNT,
    }
    yield from ((f"limit: {name}", {"at least": limit}) for name, limit in limits.items())


def _digits() -> Iterator[tuple[str, Any]]:
    """Yield the arrays of the digits file, in the order in which lesson scripts unpack them."""
    with browser() as client:
        content = client.get("/scripts/bnviz-digits.npz").content
    arrays = np.load(io.BytesIO(content)).items()
    yield "digits file arrays", [[name, f"{one.dtype}, axes: {one.ndim}"] for name, one in arrays]


def _log() -> Iterator[tuple[str, Any]]:
    """Yield the fields of a log line with a fact, a run and an exception."""
    logger, printed = logging.getLogger("bnviz.live"), io.StringIO()
    before = logger.handlers[:], logger.propagate, logger.level
    logger.handlers.clear()
    try:
        log.set_up("info")
        with redirect_stderr(printed):
            log.event("tried", exc_info=ValueError("x"), run="0123456789", count=1)
    finally:
        logger.handlers[:], logger.propagate = before[:2]
        logger.setLevel(before[2])
    line = json.loads(printed.getvalue())
    yield from shape("log line", line)
    yield "log line event, level, run", [line.get(name) for name in ("event", "level", "run")]
    yield "log line time is in seconds", abs(line.get("time", 0) - time.time()) < 1_000
