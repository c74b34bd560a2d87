"""Proxy in front of a server. It can stop forwarding without closing any connection."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from urllib.parse import urlsplit

CHUNK = 2**16


class StallingProxy:
    """Proxy that forwards all connections to a server until it is stalled.

    Attributes:
        url: address to open instead of the server's address.
    """

    def __init__(self, server: str) -> None:
        self._target = (str(urlsplit(server).hostname), int(urlsplit(server).port or 80))
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()))
        self._writers: list[asyncio.StreamWriter] = []

    def __enter__(self) -> StallingProxy:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stops.set)
        self._thread.join()

    def stall(self) -> None:
        """Hold back data on open and new connections."""
        self._loop.call_soon_threadsafe(self._flows.clear)

    def resume(self) -> None:
        """Forward the held data, and continue forwarding."""
        self._loop.call_soon_threadsafe(self._flows.set)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._flows, self._stops = asyncio.Event(), asyncio.Event()
        self._flows.set()
        listening = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        self._started.set()
        await self._stops.wait()
        listening.close()
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection(*self._target)
        self._writers += [writer, to_server]
        await asyncio.gather(self._forward(reader, to_server), self._forward(from_server, writer))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(CHUNK):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        await self._flows.wait()
        writer.close()
