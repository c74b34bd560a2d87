"""The attacked server: requests and sockets of a stranger."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from websockets.asyncio.client import connect
from websockets.typing import Origin, Subprotocol

# Seconds after which a request is given up.
PATIENCE = 20.0
STREAM = "/_stcore/stream"
# With it the server tells which processes it has; no attack may use it for anything else.
STATUS_TOKEN = "of-the-attacked-server"


class Answer(NamedTuple):
    """The answer to a request: status, headers with names in lower case, content."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        """What the content says."""
        return orjson.loads(self.content)


@dataclass(frozen=True)
class Target:
    """A server on this machine.

    Attributes:
        host: its address and port.
        pid: its process.
    """

    host: str
    pid: int

    @property
    def url(self) -> str:
        """Where it is, which is the Origin of its own pages too."""
        return f"http://{self.host}"

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A bare connection."""
        address, port = self.host.split(":")
        return await asyncio.open_connection(address, int(port))

    async def ask(
        self, path: str, method: str = "GET", body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        """Send a request on a connection of its own.

        Raises:
            OSError, EOFError, TimeoutError: no answer came.
        """
        async with asyncio.timeout(PATIENCE):
            reader, writer = await self.open()
            try:
                writer.write(self.head(path, method, len(body), headers) + body)
                # A server that refuses need not read all of it.
                with suppress(ConnectionError):
                    await writer.drain()
                return await read_answer(reader)
            finally:
                writer.close()

    def head(
        self, path: str, method: str, length: int, headers: Mapping[str, str] | None = None
    ) -> bytes:
        """The head of a request, exactly as it is given."""
        sent = {
            "Host": self.host, "Connection": "close", "Content-Length": str(length),
            **(headers or {}),
        }  # fmt: skip
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()

    def socket(
        self, path: str, cookie: str = "", origin: str | None = "", **options: Any
    ) -> connect:
        """A WebSocket.

        Args:
            path: its path.
            cookie: the header, or "".
            origin: the header; "": that of the server's own pages; None: none.
            options: of `websockets`.
        """
        return connect(
            f"ws://{self.host}{path}", proxy=None, max_size=None,
            origin=None if origin is None else Origin(origin or self.url),
            subprotocols=[Subprotocol("streamlit")] if path == STREAM else None,
            additional_headers={"Cookie": cookie} if cookie else None,
            **{"open_timeout": PATIENCE, "close_timeout": 1, **options},
        )  # fmt: skip


async def read_answer(reader: asyncio.StreamReader) -> Answer:
    """The answer to a request after which the server closes the connection.

    Raises:
        EOFError: there is none.
    """
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Answer(int(first.split()[1]), headers, await reader.read())
