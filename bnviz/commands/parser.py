"""Command-line parser with help and errors from `assets/texts/<language>/command.toml`."""

from __future__ import annotations

import argparse
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from bnviz.words.texts import Words, texts

LANGUAGE_FLAG = "--lang"
# Messages that argparse looks up for translation, and their keys in the table `parser`.
OWN_WORDS: Mapping[str, str] = {
    "usage: ": "usage",
    "positional arguments": "positional",
    "options": "options",
    "show this help message and exit": "help",
    "%(prog)s: error: %(message)s\n": "error",
    "argument %(argument_name)s: %(message)s": "argument",
    "the following arguments are required: %s": "required",
    "invalid choice: %(value)r (choose from %(choices)s)": "choice",
    "expected one argument": "one",
    "ignored explicit argument %r": "explicit",
    "ambiguous option: %(option)s could match %(matches)s": "ambiguous",
}
_SLOT = re.compile(r"%(?:\((\w+)\))?[rs]")

# Minimum space between an option and its help text.
GAP = "  "

# Han and kana letters, between which a line may break. Then punctuation that must not begin a line,
# and punctuation that must not end a line.
_HAN = "\u2e80-\u2fff\u3040-\u30fb\u30fd-\u30ff\u3400-\u9fff\uf900-\ufaff"
_CLOSING, _OPENING = "，。、；：？！）」』》”’…ー", "（「『《“‘"
_PIECE = re.compile(rf"[{_OPENING}]*(?:[{_HAN}]|[^\s{_HAN}{_OPENING}{_CLOSING}]+)?[{_CLOSING}]*\s*")


def asked_language(arguments: Iterable[str]) -> str | None:
    """Return the value of `--lang` if it is given before the command, or None.

    argparse also reads this option, but argparse's own messages need the language earlier.
    """
    given, asked = iter(arguments), None
    for argument in given:
        name, equals, value = argument.partition("=")
        if not argument.startswith("-"):
            break
        if name == LANGUAGE_FLAG:
            asked = value if equals else next(given, asked)
    return asked


def words_of(command: str) -> Words:
    """Texts of a command, in the current language."""
    found: Words = texts("command")[command]
    return found


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    epilog: str | None = None,
) -> None:
    """Add a command with its options and texts.

    Args:
        options: arguments of `add_argument` by option names ("--host --address"). The first name is
            the key of the option's text. A name without dashes makes a positional argument. Braces
            in a metavar contain a text key.
    """
    words, metavars = words_of(name), words_of("metavar")
    command = commands.add_parser(
        name, help=words["help"], description=words["description"], epilog=epilog,
        formatter_class=Help,
    )  # fmt: skip
    for names, given in options.items():
        flags = names.split()
        # Double percent signs, because argparse formats help texts with %.
        told = words["option"][flags[0].removeprefix("--")].format(default=given.get("default"))
        shown = {"metavar": given["metavar"].format(**metavars)} if "metavar" in given else {}
        command.add_argument(*flags, help=told.replace("%", "%%"), **{**given, **shown})
    command.set_defaults(run=run, parser=command)


@contextmanager
def own_words() -> Iterator[None]:
    """Translate argparse's messages within a `with` block.

    argparse looks its messages up in gettext's binary catalogues and offers no other way.
    """
    module = vars(argparse)
    before = module["_"]
    module["_"] = _own_word
    try:
        yield
    finally:
        module["_"] = before


def _own_word(message: str) -> str:
    """Translate a message of argparse, or return it unchanged if there is no text for it."""
    if message not in OWN_WORDS:
        return message
    template = str(words_of("parser")[OWN_WORDS[message]])
    slots = {found[1] or "given": found[0] for found in _SLOT.finditer(message)}
    return template.replace("%", "%%").format(**slots) if slots else template


class Help(argparse.HelpFormatter):
    """Help formatter for terminals, in which a CJK character takes two columns.

    A text that contains line breaks is a table and keeps its line breaks.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._headings: list[str] = []

    def start_section(self, heading: str | None) -> None:
        self._headings += [heading] if heading else []
        super().start_section(heading)

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        taken = self._current_indent + columns(self._format_action_invocation(action))
        self._action_max_length = max(self._action_max_length, taken)

    def format_help(self) -> str:
        """Format the help, with headings in the style of the current language."""
        told, words = super().format_help(), words_of("parser")
        for heading in self._headings:
            # argparse adds its own colon here.
            said = words["heading"].format(heading=heading)
            told = told.replace(f"\n{heading}:\n", f"\n{said}\n")
        return told

    def _split_lines(self, text: str, width: int) -> list[str]:
        if columns(text) == len(text):
            return super()._split_lines(text, width)
        return in_lines(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return "".join(indent + line for line in text.splitlines(keepends=True))
        if columns(text) == len(text):
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in in_lines(text, width - len(indent)))

    def _format_action(self, action: argparse.Action) -> str:
        told, header = super()._format_action(action), self._format_action_invocation(action)
        wider = columns(header) - len(header)
        found = re.match(rf"\s*{re.escape(header)}( +)(?=\S)", told)
        if not wider or found is None:
            return told
        # argparse padded the line as if each character took one column.
        if len(found[1]) - wider >= len(GAP):
            return told[: found.end() - wider] + told[found.end() :]
        return f"{told[: found.start(1)]}\n{' ' * found.end()}{told[found.end() :]}"


def columns(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def in_lines(text: str, width: int) -> list[str]:
    """Wrap a text to a width in columns. A line may break between any two CJK characters."""
    lines = [""]
    for piece in _PIECE.findall(text):
        if lines[-1] and columns(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]
