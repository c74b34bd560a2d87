"""Simulated browser of a new visitor, which has a cookie, opens pages and watches their runs."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from bnviz.live.web.owner import COOKIE
from tests.red_team.target import STREAM, Target

# Maximum seconds until a page is rendered, and until a run shows its first step.
PATIENCE = 30.0
# Query of a run with small networks, for visitors that only need some run.
LIGHT = "depth=2&width=16&batch_size=16"


class Tab:
    """A tab with a page, as Streamlit's client sees it.

    Attributes:
        ids: ids of the page's components by key.
        data: data of each component by key.
    """

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.ids: dict[str, str] = {}
        self.data: dict[str, dict[str, Any]] = {}

    async def run_script(self, page: str, query: str = "", **triggers: Any) -> None:
        """Run the page's script, and store the components that the script sends.

        Args:
            page: path of the page.
            query: query of the page's address.
            triggers: values of triggered events by name, per component key.

        Raises:
            TimeoutError: the script does not end.
        """
        asked = BackMsg()
        asked.rerun_script.page_name, asked.rerun_script.query_string = page, query
        for key, events in triggers.items():
            happened = [{"event": name, "value": value} for name, value in events.items()]
            states = asked.rerun_script.widget_states.widgets
            states.add(id=self.ids[key], json_value="{}")
            states.add(id=trigger_id(self.ids[key]), json_trigger_value=json.dumps(happened))
        await self.connection.send(asked.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self._take(ForwardMsg.FromString(await self.connection.recv())):
                pass

    def _take(self, said: ForwardMsg) -> bool:
        """Process a message, and return whether the script has ended."""
        drawn = said.delta.new_element.bidi_component
        if drawn.json:
            key = drawn.id.rpartition("-")[2]
            self.ids[key], self.data[key] = drawn.id, json.loads(drawn.json)
        return said.WhichOneof("type") == "script_finished"

    @property
    def run(self) -> str | None:
        """Return the id of the run that the page shows, or None."""
        shown = (data.get("run") for data in self.data.values())
        return next(filter(None, shown), None)


class Visitor:
    """Simulated browser of a visitor.

    Attributes:
        cookie: value of its `Cookie` header.
    """

    def __init__(self, target: Target, cookie: str, tabs: AsyncExitStack) -> None:
        self.target, self.cookie, self._tabs = target, cookie, tabs

    async def open(self, page: str = "lab", query: str = LIGHT) -> Tab:
        """Open a page in a new tab, which stays open."""
        tab = Tab(await self._tabs.enter_async_context(self.target.socket(STREAM, self.cookie)))
        await tab.run_script(page, query)
        return tab

    async def see_a_step(self, run: str | None) -> None:
        """Watch a run until it shows its first step.

        Raises:
            AssertionError: the run shows no step.
        """
        assert run is not None, "a new visitor did not get a run"
        kinds = set()
        try:
            async with (
                asyncio.timeout(PATIENCE),
                self.target.socket(f"/live/{run}", self.cookie) as socket,
            ):
                async for message in messages(socket):
                    kinds.add(message["type"])
                    if message["type"] == "frame" and message["step"]:
                        return
        except (TimeoutError, ConnectionClosed):
            pass
        raise AssertionError(f"a new visitor's run sent no step, only {sorted(kinds)}")


@asynccontextmanager
async def visitor(target: Target) -> AsyncIterator[Visitor]:
    """Yield a new visitor, and close the visitor's tabs afterwards.

    Raises:
        AssertionError: the server sends no cookie.
    """
    answer = await target.ask("/_stcore/host-config")
    cookie = answer.headers.get("set-cookie", "").partition(";")[0]
    assert cookie.startswith(f"{COOKIE}="), "a new browser did not get a cookie"
    async with AsyncExitStack() as tabs:
        yield Visitor(target, cookie, tabs)


async def messages(socket: ClientConnection) -> AsyncIterator[dict[str, Any]]:
    """Yield the messages of a run's socket, and acknowledge each frame as a browser does."""
    async for text in socket:
        message = json.loads(text)
        if message["type"] == "frame":
            await socket.send(json.dumps({"type": "ack", "seq": message["seq"]}))
        yield message


def trigger_id(component: str) -> str:
    """Return the widget id under which Streamlit sends the events of a component."""
    return f"$$STREAMLIT_INTERNAL_KEY_{component}__events"


def no_run() -> str:
    """Return a run id that does not exist."""
    return secrets.token_hex(16)
