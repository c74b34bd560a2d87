"""Saved talks: the texts of users' talks, so that an opened talk continues after a restart."""

from __future__ import annotations

from collections.abc import Mapping

from bnviz.live import log
from bnviz.live.saved.saver import Saver
from bnviz.live.saved.state_file import Entry
from bnviz.own_talks.talk_cache import keep_talk, watch_talks

TALK = "talk"


def restore_talks(entries: Mapping[Entry, bytes], saver: Saver) -> None:
    """Put the saved talks into the cache, and save the cache's changes from now on."""
    for (kind, name), content in entries.items():
        if kind == TALK:
            with log.guarded("saved talk not restored", talk=name):
                keep_talk(content.decode())

    def save(name: str, text: str | None) -> None:
        saver.put({(TALK, name): None if text is None else text.encode()})

    watch_talks(save if saver.on else None)
