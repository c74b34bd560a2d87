"""`python -m bnviz texts LANGUAGE`: what a translator has to do, and what has been done."""

from __future__ import annotations

import argparse
import re
from typing import Any

from bnviz.config import ConfigError
from bnviz.words import texts, translations


def add_texts(commands: Any) -> None:
    """Add the command to the others."""
    command = commands.add_parser(
        "texts",
        help="list what a language lacks, what is older than its English, what breaks a rule",
        description="List the texts of a language that are missing, older than their English, or "
        "against a rule; the exit status is 1 where any is.",
    )
    command.add_argument("language", help="the name of its folder: zh-Hans")
    command.add_argument(
        "--take", nargs="+", metavar="FILE", default=(),
        help="note that these files, as lab.toml, are up to date",
    )  # fmt: skip
    command.set_defaults(run=_texts, parser=command)


def _texts(options: argparse.Namespace) -> int:
    folder, code = texts.FOLDER, options.language
    there = sorted(path.name for path in folder.iterdir() if path.is_dir())
    known = [name for name in there if name != texts.ENGLISH]
    if not re.fullmatch(texts.CODE, code) or code not in known:
        raise ConfigError("language", code, f"a folder beside en: {', '.join(known) or 'none'}")
    if options.take:
        try:
            count = translations.take(folder, code, options.take)
        except FileNotFoundError as error:
            allowed = "a file of texts in both languages"
            raise ConfigError("--take", str(error), allowed) from error
        print(f"{count} texts are up to date.")
        return 0
    found = list(translations.faults(folder, code))
    for fault in found:
        place = ": ".join(filter(None, (f"{code}/{fault.file}", fault.key)))
        print(": ".join(filter(None, (place, fault.kind, fault.told))))
    if code not in texts.languages():
        print(f"{code}/language.toml: missing; until it is there, no page is in this language")
    return 1 if found else 0
