"""Cache of users' talks by name, and the packing of a talk into a link.

A name is a hash of the talk's text: nobody can guess it, and the same file always gets the same
name. The least recently used talks are dropped first. A server that saves nothing drops all talks
when it restarts. Links contain the text itself, so they can reopen a dropped talk.
"""

from __future__ import annotations

import base64
import hashlib
import re
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from bnviz.own_talks.file import MOST_BYTES, TalkFileError, read_talk
from bnviz.recently_used import RecentlyUsed
from bnviz.talks.talk import TALKS, Talk
from bnviz.words.phrase import phrase

MOST_KEPT, MOST_KEPT_BYTES = 200, 4 * 2**20
NAME = re.compile(r"own-[0-9a-f]{32}")
# Maximum length of a packed text: compression adds at most 1 KiB to a text, and base64 turns three
# bytes into four characters.
MOST_PACKED = 4 * (MOST_BYTES + 1_024) // 3
_PACKED = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class KeptTalk:
    """Talk and the text of its file."""

    text: str
    talk: Talk


_kept: RecentlyUsed[str, KeptTalk] = RecentlyUsed(
    MOST_KEPT, most_size=MOST_KEPT_BYTES, size=lambda kept: len(kept.text)
)
_lock = threading.Lock()
# Function that is called with the name and text of each talk that is put, and with None as the text
# of each dropped talk.
_watch: Callable[[str, str | None], None] | None = None


def watch_talks(watch: Callable[[str, str | None], None] | None) -> None:
    """Call a function for each talk that is put into the cache or dropped from now on."""
    global _watch
    _watch = watch


def keep_talk(text: str) -> str:
    """Read a talk, cache it and return its name, or raise `TalkFileError` if it is invalid."""
    talk = read_talk(text)
    name = f"own-{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"
    with _lock:
        before = {*_kept}
        _kept.put(name, KeptTalk(text, talk))
        if _watch is not None:
            _watch(name, text)
            for dropped in before - _kept.keys():
                _watch(dropped, None)
    return name


def kept_talk(name: str) -> KeptTalk | None:
    """Return a user's talk, or None if the cache does not contain it."""
    with _lock:
        return _kept.use(name)


def find_talk(name: str) -> Talk | None:
    """Return a talk of the app or of a user, or None if no talk has this name."""
    if name in TALKS:
        return TALKS[name]
    kept = kept_talk(name)
    return kept.talk if kept else None


def is_own(name: str) -> bool:
    """Return whether a name is the name of a user's talk, cached or not."""
    return NAME.fullmatch(name) is not None


def pack(text: str) -> str:
    """Encode a talk's text for a link."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpack(packed: str) -> str:
    """Decode a text from a link, up to the maximum size of a talk, or raise `TalkFileError`."""
    if not 1 <= len(packed) <= MOST_PACKED or not _PACKED.fullmatch(packed):
        raise TalkFileError([phrase("talks.file.link")])
    reader = zlib.decompressobj()
    try:
        content = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        text = reader.decompress(content, MOST_BYTES + 1)
        if len(text) <= MOST_BYTES and reader.eof and not reader.unused_data:
            return text.decode("utf-8")
    except (ValueError, zlib.error):
        pass  # ValueError includes UnicodeDecodeError and binascii.Error
    raise TalkFileError([phrase("talks.file.link")])
