"""Where talks of one's own are kept for a while, by name; and how one travels in a link.

A name is made of the talk's text, so that nobody can guess one, and the same file has the same name
again after it was dropped: of two hundred talks, or four megabytes of text, those used longest ago
go, and a restart of the server forgets all. Their links hold the text itself and open them again.
"""

from __future__ import annotations

import base64
import hashlib
import re
import threading
import zlib
from dataclasses import dataclass

from bnviz.own_talks.file import MOST_BYTES, TalkFileError, read_talk
from bnviz.recent import RecentlyUsed
from bnviz.talks.talk import TALKS, Talk
from bnviz.words.phrase import phrase

MOST_KEPT, MOST_KEPT_BYTES = 200, 4 * 2**20
NAME = re.compile(r"own-[0-9a-f]{32}")
# Compressed text is never longer than the text by more than this; in a link each three bytes are
# four letters.
MOST_PACKED = 4 * (MOST_BYTES + 1_024) // 3
_PACKED = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class KeptTalk:
    """A talk and the text that it was read from."""

    text: str
    talk: Talk


_kept: RecentlyUsed[str, KeptTalk] = RecentlyUsed(
    MOST_KEPT, most_size=MOST_KEPT_BYTES, size=lambda kept: len(kept.text)
)
_lock = threading.Lock()


def keep_talk(text: str) -> str:
    """Read a talk and keep it. Returns the name by which it is found.

    Raises:
        TalkFileError: the text is no talk.
    """
    talk = read_talk(text)
    name = f"own-{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"
    with _lock:
        _kept.put(name, KeptTalk(text, talk))
    return name


def kept_talk(name: str) -> KeptTalk | None:
    """A talk of somebody's own; None where there is none of that name, or not any more."""
    with _lock:
        return _kept.use(name)


def find_talk(name: str) -> Talk | None:
    """A talk of the app, or of somebody's own; None where there is none of that name."""
    if name in TALKS:
        return TALKS[name]
    kept = kept_talk(name)
    return kept.talk if kept else None


def is_own(name: str) -> bool:
    """Whether a talk of this name would be somebody's own, kept or not."""
    return NAME.fullmatch(name) is not None


def pack(text: str) -> str:
    """A talk's text as letters of a link."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpack(packed: str) -> str:
    """The text that `pack` made letters of; no more of it is unpacked than a talk may have.

    Raises:
        TalkFileError: these are not such letters.
    """
    if not 1 <= len(packed) <= MOST_PACKED or not _PACKED.fullmatch(packed):
        raise TalkFileError([phrase("talks.file.link")])
    reader = zlib.decompressobj()
    try:
        content = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        text = reader.decompress(content, MOST_BYTES + 1)
        if len(text) <= MOST_BYTES and reader.eof and not reader.unused_data:
            return text.decode("utf-8")
    except (ValueError, zlib.error):
        pass  # UnicodeDecodeError and binascii.Error among them
    raise TalkFileError([phrase("talks.file.link")])
