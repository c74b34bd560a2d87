"""`python -m bnviz texts LANGUAGE`: what a translator has to do, and what has been done."""

from __future__ import annotations

import argparse
import re
from typing import Any

from bnviz.commands.parser import add_command, add_option, words_of
from bnviz.config import ConfigError
from bnviz.words import texts, translations
from bnviz.words.phrase import listed, phrase


def add_texts(commands: Any) -> None:
    """Add the command to the others."""
    command = add_command(commands, "texts")
    add_option(command, "texts", "language", metavar="{code}")
    add_option(command, "texts", "--take", nargs="+", metavar="{file}", default=())
    command.set_defaults(run=_texts, parser=command)


def _texts(options: argparse.Namespace) -> int:
    folder, code = texts.FOLDER, options.language
    there = sorted(path.name for path in folder.iterdir() if path.is_dir())
    known = [name for name in there if name != texts.ENGLISH]
    if not re.fullmatch(texts.CODE, code) or code not in known:
        names = listed(known) or phrase("command.texts.allowed.none")
        raise ConfigError("language", code, phrase("command.texts.allowed.folder", names=names))
    if options.take:
        try:
            count = translations.take(folder, code, options.take)
        except FileNotFoundError as error:
            allowed = phrase("command.texts.allowed.take")
            raise ConfigError("--take", str(error), allowed) from error
        print(words_of("texts")["taken"].format(count=count))
        return 0
    found = list(translations.faults(folder, code))
    for fault in found:
        place = ": ".join(filter(None, (f"{code}/{fault.file}", fault.key)))
        print(": ".join(filter(None, (place, fault.kind, fault.told))))
    if code not in texts.languages():
        print(words_of("texts")["no_page"].format(file=f"{code}/{translations.OF_ITSELF}"))
    return 1 if found else 0
