"""`python -m bnviz record …`: writes a talk as a page that works offline."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from bnviz.commands.arguments import measured_file, writable_file
from bnviz.commands.parser import add_command, words_of
from bnviz.commands.progress_bar import ProgressBar
from bnviz.config import ConfigError
from bnviz.talks.talk import TALKS, Talk
from bnviz.words.phrase import listed, one_of, phrase
from bnviz.words.texts import ENGLISH, languages

# Exit status for an invalid talk file, equal to the status for an invalid argument.
WRONG_FILE = 2


def add_record(commands: Any) -> None:
    talks = words_of("record")["talks"].format(names=listed(TALKS))
    add_command(commands, "record", _record, {
        "talk": {"metavar": "{talk}"},
        "--out": {"required": True, "metavar": "{file}"},
        "--language": {"default": ENGLISH, "metavar": "{code}"},
        "--keep": {"action": "store_true"},
    }, epilog=talks)  # fmt: skip


def _record(options: argparse.Namespace) -> int:
    from bnviz.own_talks.file import TalkFileError
    from bnviz.talks.recorder import record, steps_of
    from bnviz.talks.recording import data_path, recording

    try:
        name, talk = _talk(options.talk)
    except TalkFileError as error:
        print(options.talk, *(each.text() for each in error.problems), sep="\n", file=sys.stderr)
        return WRONG_FILE
    if options.keep and talk.words is not None:
        raise ConfigError("--keep", options.talk, one_of(TALKS))
    if options.language not in languages():
        raise ConfigError("--language", options.language, one_of(languages()))
    path = writable_file("--out", options.out)
    kept = measured_file("--keep", data_path(name)) if options.keep else None
    made = datetime.now(UTC).date().isoformat()
    bar = ProgressBar("steps", steps_of(talk))
    data = orjson.dumps({**record(name, talk, bar.draw), "made": made})
    bar.end()
    path.write_text(recording(name, options.language, data, talk), encoding="utf-8")
    if kept is not None:
        kept.write_bytes(data)
    return 0


def _talk(given: str) -> tuple[str, Talk]:
    """Find a talk by name or file. Return the name of its recording, and the talk.

    Raises:
        ConfigError: if there is no such talk and no such file.
        TalkFileError: if the file is not a valid talk.
    """
    if given in TALKS:
        return given, TALKS[given]
    path = Path(given)
    if not path.is_file():
        raise ConfigError("talk", given, phrase("talks.file.or_file", names=listed(TALKS)))
    from bnviz.own_talks.file import MOST_BYTES, read_talk

    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        return path.stem, read_talk(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigError("talk", given, phrase("talks.file.utf_8")) from None
