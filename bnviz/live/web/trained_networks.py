"""Networks for widgets at `/trained/<name>`: trained once a server, in a process beside it.

A process is begun when a name of `RECIPES` is asked for the first time, one at a time; all who ask
meanwhile wait for the same one. What it wrote is kept for good: some hundred kilobytes a name.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from bnviz.live import log
from bnviz.live.protocol.server_messages import encode, words_of
from bnviz.live.web.answers import json_answer
from bnviz.live.web.assets import no_file
from bnviz.trained import RECIPES
from bnviz.words.phrase import PhraseText, phrase

ROOT = Path(__file__).parents[3]
# A process takes a few seconds; on a machine that is busy, many more.
LONGEST = 180.0
# Another server has trained its own: a browser may keep these for an hour.
CACHED = "private, max-age=3600"
FAILED = PhraseText(phrase("errors.not_trained"))


class TrainingFailed(Exception):
    """A process has written nothing, or took too long."""


class TrainedNetworks:
    """What the processes wrote, by name. Used on one event loop."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = longest
        self._tasks: dict[str, asyncio.Task[bytes]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def get(self, name: str) -> bytes:
        """The networks of a recipe, as `bnviz.trained.packed` writes them.

        Args:
            name: a key of `RECIPES`.

        Raises:
            TrainingFailed: it did not work; the next call tries again.
        """
        task = self._tasks.get(name)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._tasks[name] = asyncio.create_task(self._train(name))
        # Who goes away must not take it from those who wait.
        return await asyncio.shield(task)

    async def _train(self, name: str) -> bytes:
        async with self._one_at_a_time:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bnviz.trained", name, stdin=DEVNULL, stdout=PIPE, cwd=ROOT,
                env={**os.environ, "OMP_NUM_THREADS": "1"}, start_new_session=True,
            )  # fmt: skip
            return await self._written_by(process, name)

    async def _written_by(self, process: Process, name: str) -> bytes:
        try:
            written, _ = await asyncio.wait_for(process.communicate(), self._longest)
        except TimeoutError:
            log.event("networks not trained in time", level=logging.ERROR, name=name)
            raise TrainingFailed(name) from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode or not written:
            log.event("networks not trained", level=logging.ERROR, name=name)
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
