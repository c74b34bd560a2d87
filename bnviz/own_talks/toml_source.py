"""TOML with line numbers: what a text says, and on which line each of its fields begins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

# What may end the value that stands at the end of a beginning of the text: a long text, a list over
# several lines, both, or lists in one another.
ENDINGS = ("", '"""', "'''", "]", '"""]', "''']", "]]", '"""]]', "''']]")
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_END = " (at end of document)"
# A name of ten parts or more: no field of ours has one, and Python's reader needs time that grows
# with the square of their number.
_DEEP_NAME = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){9}""")

Path = Sequence[str | int]


class NotToml(ValueError):
    """A text is not TOML.

    Attributes:
        reason: what Python's reader says, in English; "" where it is too deep to be read.
        line: where, from 1.
    """

    def __init__(self, reason: str, line: int) -> None:
        self.reason, self.line = reason, line
        super().__init__(reason)


class TomlSource:
    """A text and what it says.

    Attributes:
        data: its tables, lists and values.
    """

    def __init__(self, text: str) -> None:
        """Read a text.

        Raises:
            NotToml: it is none.
        """
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
            # Lists in lists without end, or a number of thousands of digits.
            raise NotToml("", 1) from None

    def line_of(self, path: Path) -> int:
        """The line, from 1, on which a field begins; of a missing one, that of its table.

        It is the first line with which the text, read up to there, has the field.

        Args:
            path: keys and places in lists, from the outermost.
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
        """What the first lines say, a value that goes on below ended there."""
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
    """Whether a field is there."""
    for key in path:
        if not isinstance(data, dict | list):
            return False
        try:
            data = data[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return False
    return True
