"""Command line: `bnviz train …`, `… sweep …`, `… claim …`, `… serve …`, or `python -m bnviz …`.

Without a command, the app is served and the browser opened.

Results go to stdout, one JSON object per line, and are the same in every language. Errors go to
stderr as one sentence, with exit status 2. Help and errors are in the user's language.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bnviz import VERSION
from bnviz.commands.check import add_check
from bnviz.commands.claim import add_claim
from bnviz.commands.forget import add_forget
from bnviz.commands.parser import (
    LANGUAGE_FLAG,
    Help,
    asked_language,
    own_words,
)
from bnviz.commands.rates import add_rates
from bnviz.commands.record import add_record
from bnviz.commands.serve import add_serve
from bnviz.commands.sweep import add_sweep
from bnviz.commands.texts import add_texts
from bnviz.commands.train import add_train
from bnviz.config import ConfigError
from bnviz.words.language_choice import allowed_languages, language_for, locale_language
from bnviz.words.phrase import error_text, listed
from bnviz.words.texts import in_language, languages, texts

USAGE_ERROR = 2
# Arguments that follow if no command is given.
WITHOUT_COMMAND = ("serve", "--open")
# Exit status that shells report for a command whose output pipe was closed.
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Escape characters that the terminal's encoding lacks, as Python does for stderr, instead
        # of failing.
        sys.stdout.reconfigure(errors="backslashreplace")
    given = sys.argv[1:] if arguments is None else list(arguments)
    asked = asked_language(given)
    known = language_for(asked)
    with in_language(known or locale_language(os.environ)), own_words():
        try:
            if asked is not None and known is None:
                raise ConfigError(LANGUAGE_FLAG, asked, allowed_languages())
            status = _run(given)
            sys.stdout.flush()
        except ConfigError as error:
            print(error_text(error), file=sys.stderr)
            return USAGE_ERROR
        except BrokenPipeError:
            # The reader closed the pipe. Redirect stdout to the null device, because Python would
            # otherwise report an error when it flushes stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE
        except KeyboardInterrupt:
            return 130
    return status


def _run(arguments: Sequence[str]) -> int:
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if "run" not in options:
        options, unknown = parser.parse_known_args([*arguments, *WITHOUT_COMMAND])
    if unknown:
        said = texts("command")["no_such_argument"]
        options.parser.error(said.format(given=" ".join(unknown)))
    status: int = options.run(options)
    return status


def _parser() -> argparse.ArgumentParser:
    words = texts("command")
    parser = argparse.ArgumentParser(
        prog=_program(), description=words["description"], formatter_class=Help,
        allow_abbrev=False,
    )  # fmt: skip
    parser.add_argument(
        LANGUAGE_FLAG, metavar=words["metavar"]["code"],
        help=words["lang"].format(codes=listed(languages())),
    )  # fmt: skip
    parser.add_argument(
        "--version", action="version", version=f"bnviz {VERSION}", help=words["version"],
    )  # fmt: skip
    commands = parser.add_subparsers(metavar=words["command"])
    for add in (
        add_train, add_sweep, add_claim, add_record, add_rates, add_check, add_texts, add_serve,
        add_forget,
    ):  # fmt: skip
        add(commands)
    return parser


def _program() -> str:
    """Return how this program was started: by its command, or as a module."""
    return "bnviz" if Path(sys.argv[0]).stem == "bnviz" else "python -m bnviz"


if __name__ == "__main__":
    sys.exit(main())
