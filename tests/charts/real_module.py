"""The browser's own modules, run in the Node.js that ships with Playwright."""

from __future__ import annotations

import atexit
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

import orjson
import plotly.graph_objects as go
from playwright._impl._driver import compute_driver_executable

from bnviz.charts.chart import Chart
from bnviz.live.contract import contract_module
from bnviz.live.protocol.frames import compose

PROGRAM = Path(__file__).with_suffix(".mjs")


def apply(
    chart: Chart, frames: Iterable[Any], *, shown: int = -1,
    selected: Mapping[str, int] | None = None, key: str | None = None,
) -> go.Figure:  # fmt: skip
    """Return the traces as the page fills them, in a figure without layout.

    Args:
        chart: chart to fill. It is not modified.
        frames: ordered by step, each with a `step` and a `body` as a worker writes it.
        shown: index of the frame to show.
        selected: chosen option per selector, by default each selector's default.
        key: identifies a chart between calls. A second call with the same key passes only newer
            frames.
    """
    status = {"status": "running", "status_number": 0}
    sent = [compose("0" * 32, frame.step, status, frame.body) for frame in frames]
    asked = {
        "chart": chart.to_json(), "frames": list(map(orjson.Fragment, sent)), "shown": shown,
        "selected": selected, "key": key,
    }  # fmt: skip
    return go.Figure(data=_ask(asked))


def evaluate(module: str, expression: str, argument: Any = None) -> Any:
    """Evaluate an expression in which `m` is a module, given by its path under `assets/live`."""
    return _ask({"module": module, "expression": expression, "argument": argument})


def _ask(asked: Mapping[str, Any]) -> Any:
    to_node, from_node = _node()
    to_node.write(orjson.dumps(asked, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n")
    to_node.flush()
    answer = orjson.loads(from_node.readline())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer.get("data")


@cache
def _node() -> tuple[IO[bytes], IO[bytes]]:
    """Start Node.js and return its standard input and output."""
    node, _ = compute_driver_executable()
    command = [node, "--no-warnings", str(PROGRAM), contract_module().decode()]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(started.communicate)
    assert started.stdin
    assert started.stdout
    return started.stdin, started.stdout
