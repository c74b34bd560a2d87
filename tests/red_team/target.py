"""Client of the attacked server: requests and sockets of a stranger."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from websockets.asyncio.client import connect
from websockets.typing import Origin, Subprotocol

# Timeout of a request in seconds.
PATIENCE = 20.0
STREAM = "/_stcore/stream"
# Token with which the server lists its processes. Attacks must not use the token for anything else.
STATUS_TOKEN = "of-the-attacked-server"


class Answer(NamedTuple):
    """Response to a request. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        """Parsed JSON content."""
        return orjson.loads(self.content)


@dataclass(frozen=True)
class Target:
    """The attacked server on this machine.

    Attributes:
        host: address and port.
        pid: process id.
    """

    host: str
    pid: int

    @property
    def url(self) -> str:
        """Address of the server, which is also the origin of its own pages."""
        return f"http://{self.host}"

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A bare connection."""
        address, port = self.host.split(":")
        return await asyncio.open_connection(address, int(port))

    async def ask(
        self, path: str, method: str = "GET", body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        """Send a request on a new connection.

        Raises:
            OSError, EOFError, TimeoutError: no response arrived.
        """
        async with asyncio.timeout(PATIENCE):
            reader, writer = await self.open()
            try:
                writer.write(self.head(path, method, len(body), headers) + body)
                # A server that rejects a request may close the connection before it has read the
                # whole request.
                with suppress(ConnectionError):
                    await writer.drain()
                return await read_answer(reader)
            finally:
                writer.close()

    def head(
        self, path: str, method: str, length: int, headers: Mapping[str, str] | None = None
    ) -> bytes:
        """Return the request line and headers, without any normalization."""
        sent = {
            "Host": self.host, "Connection": "close", "Content-Length": str(length),
            **(headers or {}),
        }  # fmt: skip
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()

    def socket(
        self, path: str, cookie: str = "", origin: str | None = "", **options: Any
    ) -> connect:
        """Open a WebSocket.

        Args:
            cookie: value of the `Cookie` header, or an empty string for no header.
            origin: value of the `Origin` header. An empty string means the server's origin, None no
                header.
            options: further arguments of `websockets.connect`.
        """
        return connect(
            f"ws://{self.host}{path}", proxy=None, max_size=None,
            origin=None if origin is None else Origin(origin or self.url),
            subprotocols=[Subprotocol("streamlit")] if path == STREAM else None,
            additional_headers={"Cookie": cookie} if cookie else None,
            **{"open_timeout": PATIENCE, "close_timeout": 1, **options},
        )  # fmt: skip


async def read_answer(reader: asyncio.StreamReader) -> Answer:
    """Read the response on a connection that the server closes afterwards.

    Raises:
        EOFError: the server sent no response.
    """
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Answer(int(first.split()[1]), headers, await reader.read())
