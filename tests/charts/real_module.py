"""The browser's own modules, run by the Node.js that Playwright brings along."""

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
    """The chart's traces as a page fills them. The figure has no layout.

    Args:
        chart: as built; it is not changed.
        frames: in order of step, each with its `step` and its `body`, as a worker writes it.
        shown: place of the frame that is shown.
        selected: chosen option by selector name; none given: the defaults.
        key: of a chart that goes on: a second call with this key brings only newer frames.
    """
    status = {"status": "running", "status_number": 0}
    sent = [compose("0" * 32, frame.step, status, frame.body) for frame in frames]
    asked = {
        "chart": chart.to_json(), "frames": list(map(orjson.Fragment, sent)), "shown": shown,
        "selected": selected, "key": key,
    }  # fmt: skip
    return go.Figure(data=_ask(asked))


def evaluate(module: str, expression: str, argument: Any = None) -> Any:
    """The value of an expression of a module `m` (by its path under `assets/live`)."""
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
    """The process: where it is asked, and where it answers."""
    node, _ = compute_driver_executable()
    command = [node, "--no-warnings", str(PROGRAM), contract_module().decode()]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(started.communicate)
    assert started.stdin
    assert started.stdout
    return started.stdin, started.stdout
