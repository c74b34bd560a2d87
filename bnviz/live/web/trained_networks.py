"""Networks for widgets at `/trained/<name>`, which a separate process trains once per server.

Only one such process runs at a time. The result, a few hundred kilobytes per name, stays in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process

from starlette.requests import Request
from starlette.responses import Response

from bnviz.live import log
from bnviz.live.protocol.server_messages import encode, words_of
from bnviz.live.web.answers import json_answer
from bnviz.live.web.assets import no_file
from bnviz.locations import child_environment
from bnviz.trained import RECIPES
from bnviz.words.phrase import PhraseText, phrase

# Maximum seconds for training. Training takes a few seconds, but much longer on a busy machine.
LONGEST = 180.0
# Browsers may cache the networks for one hour only, because each server trains its own networks.
CACHED = "private, max-age=3600"
FAILED = PhraseText(phrase("errors.not_trained"))


class TrainingFailed(Exception):
    """Training process that failed or exceeded its time limit."""


class TrainedNetworks:
    """Cache of trained networks by name, as JSON. Use it on one event loop only."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = longest
        self._tasks: dict[str, asyncio.Task[bytes]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def get(self, name: str) -> bytes:
        """Return the named networks or raise `TrainingFailed`. After that, the next call
        retries.
        """
        task = self._tasks.get(name)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._tasks[name] = asyncio.create_task(self._train(name))
        # If one request is cancelled, the training must go on for the other requests.
        return await asyncio.shield(task)

    async def _train(self, name: str) -> bytes:
        async with self._one_at_a_time:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bnviz.trained", name, stdin=DEVNULL, stdout=PIPE,
                env={**child_environment(), "OMP_NUM_THREADS": "1"}, start_new_session=True,
            )  # fmt: skip
            return await self._written_by(process, name)

    async def _written_by(self, process: Process, name: str) -> bytes:
        try:
            written, _ = await asyncio.wait_for(process.communicate(), self._longest)
        except TimeoutError:
            log.event("training of networks timed out", level=logging.ERROR, name=name)
            raise TrainingFailed(name) from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode or not written:
            log.event("training of networks failed", level=logging.ERROR, name=name)
            raise TrainingFailed(name)
        log.event("networks trained", name=name, bytes=len(written))
        return written

    async def answer(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in RECIPES:
            return no_file()
        try:
            content = await self.get(name)
        except TrainingFailed:
            return json_answer(encode(words_of(FAILED)), 503)
        headers = {"Cache-Control": CACHED}
        return Response(content, media_type="application/octet-stream", headers=headers)
