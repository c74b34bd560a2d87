"""Message format between hub and workers: two lengths, a JSON header and bytes, never pickled."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import orjson

LENGTHS = struct.Struct("!II")
# Maximum sizes of a header and of a payload, in bytes. A header may hold a config and a log of at
# most 20,000 changes of about 300 bytes. A payload is a frame or a checkpoint.
MAX_HEADER = 2**23
MAX_PAYLOAD = 2**28

MOST_PROBLEM_CHARACTERS = 300

# Command-line argument of a worker that replaces another worker. Such a worker skips the warm-up
# run, because runs wait for it.
TAKE_OVER = "--take-over"
# Command-line argument of the only process that uses the GPU.
USES_GPU = "--gpu"

Header = dict[str, Any]


class WireError(ValueError):
    """Invalid bytes from the other end, or a message that is too large to send."""


def pack(header: Header, payload: bytes = b"") -> bytes:
    """Encode a message, or raise `WireError` if it is too large."""
    head = orjson.dumps(header)
    if len(head) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise WireError(
            f"A message is too large: its header has {len(head)} bytes (at most {MAX_HEADER}) and "
            f"its payload {len(payload)} bytes (at most {MAX_PAYLOAD})."
        )
    return LENGTHS.pack(len(head), len(payload)) + head + payload


def problem_text(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"[:MOST_PROBLEM_CHARACTERS]


class Unpacker:
    """Parser that splits a stream of bytes into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Header, bytes]]:
        """Yield the messages that `data` completes, and keep an incomplete message for later.

        Raises:
            WireError: a length is out of bounds, or a header is not a JSON object with a type.
        """
        buffer = self._buffer
        buffer += data
        while len(buffer) >= LENGTHS.size:
            head_size, payload_size = LENGTHS.unpack_from(buffer)
            if head_size > MAX_HEADER or payload_size > MAX_PAYLOAD:
                raise WireError(
                    f"A header must have at most {MAX_HEADER} bytes, got {head_size}; "
                    f"a payload must have at most {MAX_PAYLOAD}, got {payload_size}."
                )
            start = LENGTHS.size + head_size
            end = start + payload_size
            if len(buffer) < end:
                return
            head, payload = bytes(buffer[LENGTHS.size : start]), bytes(buffer[start:end])
            del buffer[:end]
            try:
                header = orjson.loads(head)
            except orjson.JSONDecodeError as error:
                raise WireError(f"A header must be valid JSON: {error}.") from None
            if not isinstance(header, dict) or not isinstance(header.get("type"), str):
                raise WireError("A header must be a JSON object with a string `type`.")
            yield header, payload
