"""The dashboard's charts through `st.plotly_chart` in a `run_every` fragment, to compare with.

`TRAIN=worker` trains in bnviz's worker process, so that the two pages differ only in how frames
reach the screen. `TRAIN=thread` trains in a thread of the server process, as a plain Streamlit app
has it. Frames are decoded once in either case.
"""

from __future__ import annotations

import os
import threading
import time

import orjson
import streamlit as st

from bnviz.charts import CHARTS, ChartView
from bnviz.charts.chart import chart_texts
from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.protocol.frames import untyped
from tests.charts.browser_twin.apply import apply
from tests.charts.browser_twin.frame import Frame, to_frame

CONFIG = RunConfig()
POINTS = 400
FRAMES_PER_SECOND = 15


class InWorker:
    """The pair in a worker process; its frames come from the run's history."""

    def __init__(self) -> None:
        self._run = current_hub().start("0" * 64, CONFIG, pace="full")
        self._frames: dict[int, Frame] = {}

    def frames(self) -> list[Frame]:
        """The newest frames, the oldest first."""
        for kept in list(current_hub().viewers.kept(self._run))[-POINTS:]:
            if kept.step not in self._frames:
                self._frames[kept.step] = decoded(kept.body)
        return [self._frames[step] for step in sorted(self._frames)][-POINTS:]


class InThread:
    """The pair in a thread of this process."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []
        threading.Thread(target=self._train, daemon=True).start()

    def frames(self) -> list[Frame]:
        """The newest frames, the oldest first."""
        return self._frames[-POINTS:]

    def _train(self) -> None:
        import torch

        from bnviz.experiment import Experiment

        torch.set_num_threads(1)
        experiment, shown = Experiment(CONFIG), 0.0
        while True:
            if time.monotonic() - shown >= 1 / FRAMES_PER_SECOND:
                self._frames.append(to_frame(experiment.snapshot()))
                shown = time.monotonic()
            experiment.step()


def decoded(body: bytes) -> Frame:
    """A frame of the wire as charts see it."""
    message = orjson.loads(body)
    arrays = {name: untyped(spec) for name, spec in message["arrays"].items()}
    return Frame(message["step"], message["networks"], arrays)


state = st.session_state
if "run" not in state:
    state.run = {"worker": InWorker, "thread": InThread}[os.environ["TRAIN"]]()
    view = ChartView(config=CONFIG, texts=chart_texts())
    groups = ("main", "more") if os.environ.get("EVERY_CHART") else ("main",)
    # The accuracy stands behind a switch on the page; it is not shown there either.
    state.charts = [
        entry.resolve()(view)
        for name, entry in CHARTS.items()
        if entry.group in groups and not entry.plane_only and name != "accuracy"
    ]


@st.fragment(run_every=0.05)
def dashboard() -> None:
    """Draw every chart with the newest frame."""
    frames = state.run.frames()
    if not frames:
        return
    for chart in state.charts:
        figure = apply(chart, frames)
        figure.update_layout(chart.figure.layout, meta={"step": frames[-1].step})
        st.plotly_chart(figure, key=chart.name)


dashboard()
