"""Secret of the cookies, kept beside the saved state, so that browsers stay known."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

FILE = "secret"
SECRET_BYTES = 32


def kept_secret(folder: Path) -> str:
    """Return the secret in a folder, or create it. Return "" if the folder cannot be used."""
    path = folder / FILE
    with suppress(OSError, ValueError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (path.exists() and path.stat().st_size):
            # A server that is killed here must not leave an empty secret.
            new = path.with_name(f"{FILE}-new")
            made = os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with open(made, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(SECRET_BYTES))
            os.replace(new, path)
        return path.read_text("ascii")
    return ""
