"""The language of the command line: that of `--lang`, or that of the locale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bnviz.config import ConfigError
from bnviz.words.language_choice import allowed_languages, language_for, locale_language

FLAG = "--lang"


def asked_language(arguments: Iterable[str]) -> str | None:
    """What `--lang` before the command says; None: nothing.

    argparse reads it, too; but its own words need a language before that.
    """
    given, asked = iter(arguments), None
    for argument in given:
        name, equals, value = argument.partition("=")
        if not argument.startswith("-"):
            break
        if name == FLAG:
            asked = value if equals else next(given, asked)
    return asked


def spoken_language(asked: str | None, environment: Mapping[str, str]) -> str:
    """The language for what was asked; where nothing was, or nothing known, that of the locale."""
    return language_for(asked) or locale_language(environment)


def check_language(asked: str | None) -> None:
    """Make sure that the app has the language that was asked for.

    Raises:
        ConfigError: it has not.
    """
    if asked is not None and language_for(asked) is None:
        raise ConfigError(FLAG, asked, allowed_languages())
