"""TOML text with line numbers: its data, and the line on which each field begins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

# Endings that can complete a text that is cut off in a multi-line string, in a multi-line list, in
# a string in a list, or in nested lists.
ENDINGS = ("", '"""', "'''", "]", '"""]', "''']", "]]", '"""]]', "''']]")
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_END = " (at end of document)"
# Pattern of a name of ten or more parts. No field has such a name, and the time of Python's parser
# grows with the square of the number of parts.
_DEEP_NAME = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){9}""")

Path = Sequence[str | int]


class NotToml(ValueError):
    """Error of a text that is not TOML.

    `reason` is the English message of Python's parser, or "" for a text too deep to parse.
    """

    def __init__(self, reason: str, line: int) -> None:
        self.reason, self.line = reason, line
        super().__init__(reason)


class TomlSource:
    """TOML text and its parsed `data`."""

    def __init__(self, text: str) -> None:
        """Parse a text, or raise `NotToml` if it is not TOML."""
        self._lines = text.split("\n")
        self._known: dict[int, Any] = {}
        if deep := _DEEP_NAME.search(text):
            raise NotToml("", text.count("\n", 0, deep.start()) + 1)
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            reason, found = str(error), _AT.search(str(error))
            line = int(found[1]) if found else len(self._lines)
            raise NotToml(_AT.sub("", reason).removesuffix(_AT_END), line) from None
        except (RecursionError, ValueError):
            # Lists are nested too deeply, or a number has thousands of digits.
            raise NotToml("", 1) from None

    def line_of(self, path: Path) -> int:
        """Return the line, from 1, on which a field begins; if it is missing, the line of its
        table.

        This is the first line up to which the parsed text contains the field or the table.
        """
        while path and not _has(self.data, path):
            path = path[:-1]
        low, high = 1, len(self._lines)
        while path and low < high:
            middle = (low + high) // 2
            if _has(self._until(middle), path):
                high = middle
            else:
                low = middle + 1
        return low

    def _until(self, line: int) -> Any:
        """Return the data of the text up to a line; close a value that continues on later lines."""
        if line not in self._known:
            beginning = "\n".join(self._lines[:line]) + "\n"
            self._known[line] = next(filter(None, map(_loads, _ended(beginning))), {})
        return self._known[line]


def _ended(beginning: str) -> Sequence[str]:
    return [beginning + ending for ending in ENDINGS]


def _loads(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _has(data: Any, path: Path) -> bool:
    for key in path:
        if not isinstance(data, dict | list):
            return False
        try:
            data = data[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return False
    return True
