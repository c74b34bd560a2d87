"""A frame as the history keeps it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptFrame:
    """A kept frame: its number, its step, what was measured."""

    seq: int
    step: int
    body: bytes
