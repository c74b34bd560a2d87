"""`python -m bnviz record …`: writes a talk's recording, a page that needs no network."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from bnviz.commands.progress_bar import ProgressBar
from bnviz.config import ConfigError
from bnviz.talks.talk import TALKS
from bnviz.words.phrase import one_of
from bnviz.words.texts import ENGLISH, languages


def add_record(commands: Any) -> None:
    """Add the command to the others."""
    record = commands.add_parser(
        "record",
        help="record a talk as one file that plays without a network",
        description="Run a talk's stations and write a page that plays them from a memory stick.",
        epilog="talks: " + ", ".join(TALKS),
    )
    record.add_argument("talk", metavar="TALK", help="such as first-five-minutes")
    record.add_argument("--out", required=True, metavar="FILE", help="write the page there")
    record.add_argument("--language", default=ENGLISH, metavar="CODE", help="of its words")
    record.add_argument(
        "--keep", action="store_true", help="keep what was measured as what the app hands out"
    )
    record.set_defaults(run=_record, parser=record)


def _record(options: argparse.Namespace) -> int:
    from bnviz.talks.recorder import record, steps_of
    from bnviz.talks.recording import data_path, recording

    if options.talk not in TALKS:
        raise ConfigError("talk", options.talk, one_of(TALKS))
    if options.language not in languages():
        raise ConfigError("--language", options.language, one_of(languages()))
    path = Path(options.out)
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError("--out", options.out, "a file in a folder that exists")
    made = datetime.now(UTC).date().isoformat()
    bar = ProgressBar("steps", steps_of(options.talk))
    data = orjson.dumps({**record(options.talk, bar.draw), "made": made})
    bar.end()
    path.write_text(recording(options.talk, options.language, data), encoding="utf-8")
    if options.keep:
        data_path(options.talk).write_bytes(data)
    return 0
