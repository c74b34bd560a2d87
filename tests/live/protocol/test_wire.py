from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnviz.live.protocol.wire import LENGTHS, MAX_HEADER, MAX_PAYLOAD, Unpacker, WireError, pack

MESSAGES = st.lists(
    st.tuples(
        st.dictionaries(st.text(max_size=5), st.integers(-5, 5), max_size=3), st.binary(max_size=50)
    ),
    max_size=5,
)


@given(MESSAGES, st.integers(1, 40))
def test_messages_survive_any_cutting_of_the_stream(messages, size):
    sent = [({**header, "type": "x"}, payload) for header, payload in messages]
    stream = b"".join(pack(header, payload) for header, payload in sent)
    unpacker = Unpacker()
    received = []
    for start in range(0, len(stream), size):
        received += unpacker.feed(stream[start : start + size])
    assert received == sent


@given(st.binary(min_size=1, max_size=200))
def test_noise_gives_messages_or_a_wire_error(noise):
    unpacker = Unpacker()
    try:
        for header, _ in unpacker.feed(noise):
            assert isinstance(header["type"], str)
    except WireError:
        pass


def test_lengths_out_of_bounds_are_refused_before_anything_is_allocated():
    for lengths in ((MAX_HEADER + 1, 0), (2, MAX_PAYLOAD + 1), (2**32 - 1, 2**32 - 1)):
        with pytest.raises(WireError, match="at most"):
            list(Unpacker().feed(LENGTHS.pack(*lengths)))


def test_a_header_that_is_no_message_is_refused():
    for header in (b"{", b"[1]", b'{"type":3}', b"null"):
        with pytest.raises(WireError):
            list(Unpacker().feed(LENGTHS.pack(len(header), 0) + header))


def test_a_message_too_large_to_be_read_back_is_not_sent():
    with pytest.raises(WireError, match="too large"):
        pack({"type": "x" * (MAX_HEADER + 1)})
