"""Storage of the user's own talks, and their transfer in a link."""

import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnviz.own_talks import talk_cache
from bnviz.own_talks.file import MOST_BYTES, TalkFileError
from bnviz.own_talks.talk_cache import (
    MOST_KEPT,
    MOST_PACKED,
    NAME,
    find_talk,
    is_own,
    keep_talk,
    kept_talk,
    pack,
    unpack,
)
from bnviz.talks.talk import TALKS
from tests.every_case import every_case

TEXT = 'title = "T"\n[[station]]\ntitle = "One"\n'


def letters(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def test_the_same_text_has_the_same_name_and_is_found_by_it():
    name = keep_talk(TEXT)
    assert NAME.fullmatch(name)
    assert is_own(name)
    assert keep_talk(TEXT) == name != keep_talk(TEXT + "\n")
    assert find_talk(name) is kept_talk(name).talk
    assert kept_talk(name).text == TEXT
    assert find_talk("first-five-minutes") is TALKS["first-five-minutes"]
    for unknown in ("own-" + "0" * 32, "moon", "", "../x"):
        assert find_talk(unknown) is None


def test_what_is_no_talk_is_not_kept():
    with pytest.raises(TalkFileError):
        keep_talk("title = 3")


def test_what_was_used_longest_ago_makes_room(monkeypatch):
    first, second = (keep_talk(f"{TEXT}say = '{each}'") for each in "ab")
    for number in range(MOST_KEPT - 1):
        keep_talk(f"{TEXT}notes = '{number}'")
        assert find_talk(first), "it is used"
    assert find_talk(second) is None
    large = f"notes = '{'n' * 3_900}'\n"
    several = [
        keep_talk(f'title = "{n}"\n' + f'[[station]]\ntitle = "One"\n{large}' * 7)
        for n in range(160)
    ]
    kept = [name for name in several if kept_talk(name)]
    assert several[-len(kept) :] == kept
    assert sum(len(kept_talk(name).text) for name in kept) <= talk_cache.MOST_KEPT_BYTES
    assert len(kept) < 160


@given(st.text(max_size=300))
def test_a_text_comes_out_of_a_link_as_it_went_in(text):
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert unpack(pack(text)) == text


def test_the_largest_talk_fits_into_a_link_however_badly_it_is_compressed():
    worst = base64.b85encode(zlib.compress(b"".join(n.to_bytes(8, "big") for n in range(9_000)), 9))
    text = worst.decode()[:MOST_BYTES]
    assert len(pack(text)) <= MOST_PACKED
    assert unpack(pack(text)) == text


@every_case(
    "packed",
    ["", "A", "====", "a b", "<script>", "A" * (MOST_PACKED + 1), pack(TEXT)[:-4],
     letters(zlib.compress(TEXT.encode()) + b"more"), letters(zlib.compress(b"\xff\xfe")),
     letters(zlib.compress(b"a" * (MOST_BYTES + 1))), letters(TEXT.encode())],
)  # fmt: skip
def test_a_link_that_holds_no_talk_is_refused(packed):
    with pytest.raises(TalkFileError, match="does not contain a talk"):
        unpack(packed)


def test_a_small_link_that_unpacks_to_very_much_is_not_unpacked(monkeypatch):
    bomb = letters(zlib.compress(b"\n" * 20_000_000, 9))
    assert len(bomb) < MOST_PACKED
    taken = []
    real = zlib.decompressobj

    class Counting:
        def __init__(self):
            self._inner = real()

        def decompress(self, content, most):
            taken.append(len(found := self._inner.decompress(content, most)))
            return found

        def __getattr__(self, name):
            return getattr(self._inner, name)

    monkeypatch.setattr(talk_cache.zlib, "decompressobj", Counting)
    with pytest.raises(TalkFileError):
        unpack(bomb)
    assert taken == [MOST_BYTES + 1]
