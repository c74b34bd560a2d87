"""`python -m bnviz texts`: lists open translation work, and records finished translations."""

from __future__ import annotations

import argparse
from typing import Any

from bnviz.commands.arguments import measured_file
from bnviz.commands.parser import add_command, words_of
from bnviz.config import ConfigError
from bnviz.locations import locations
from bnviz.words import texts, translations
from bnviz.words.phrase import listed, phrase


def add_texts(commands: Any) -> None:
    add_command(commands, "texts", _texts, {
        "language": {"nargs": "?", "metavar": "{code}"},
        "--take": {"nargs": "*", "metavar": "{file}"},
    })  # fmt: skip


def _texts(options: argparse.Namespace) -> int:
    folder, code = texts.FOLDER, options.language
    there = sorted(path.name for path in folder.iterdir() if path.is_dir())
    known = [name for name in there if name != texts.ENGLISH and texts.CODE.fullmatch(name)]
    if code is not None and code not in known:
        names = listed(known) or phrase("command.texts.allowed.none")
        raise ConfigError("language", code, phrase("command.texts.allowed.folder", names=names))
    chosen = known if code is None else [code]
    if options.take is not None:
        if folder == locations().assets / "texts":
            for each in chosen:
                measured_file("--take", folder / each / texts.SOURCES)
        try:
            count = sum(translations.take(folder, each, options.take) for each in chosen)
        except FileNotFoundError as error:
            allowed = phrase("command.texts.allowed.take")
            raise ConfigError("--take", str(error), allowed) from error
        print(words_of("texts")["taken"].format(count=count))
    if options.take:
        return 0  # the user did not ask about other files
    found = [fault for each in chosen for fault in translations.faults(folder, each)]
    for fault in found:
        print(fault)
    for each in chosen:
        if each not in texts.languages():
            print(words_of("texts")["no_page"].format(file=f"{each}/{translations.OF_ITSELF}"))
    return 1 if found else 0
