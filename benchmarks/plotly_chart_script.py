"""Page with the dashboard's charts in `st.plotly_chart`, in a `run_every` fragment.

`TRAIN=worker` trains in bnviz's worker process, so that this page differs from the lab only in how
frames reach the screen. `TRAIN=thread` trains in a thread of the server process, as in a plain
Streamlit app. A Node.js process of this server fills the charts by running the browser's modules.
"""

from __future__ import annotations

import os
import threading
import time

import streamlit as st

from bnviz.charts import CHARTS, ChartView
from bnviz.charts.chart import chart_texts
from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.protocol.frames import encode_body
from bnviz.live.runs.parsed_frames import HistoryFrame
from tests.charts.real_module import apply

CONFIG = RunConfig()
FRAMES_PER_SECOND = 15


class InWorker:
    """Pair of networks that trains in a worker process.

    Its frames are read from the run's history.
    """

    def __init__(self) -> None:
        self._run = current_hub().start("0" * 64, CONFIG, pace="full")

    def frames(self) -> list[HistoryFrame]:
        """Return the stored frames, oldest first."""
        return [*current_hub().registry.runs[self._run].history]


class InThread:
    """Pair of networks that trains in a thread of this process."""

    def __init__(self) -> None:
        self._frames: list[HistoryFrame] = []
        threading.Thread(target=self._train, daemon=True).start()

    def frames(self) -> list[HistoryFrame]:
        """Return the frames so far, oldest first."""
        return self._frames[:]

    def _train(self) -> None:
        import torch

        from bnviz.experiment import Experiment

        torch.set_num_threads(1)
        experiment, shown = Experiment(CONFIG), 0.0
        while True:
            if time.monotonic() - shown >= 1 / FRAMES_PER_SECOND:
                snapshot, seq = experiment.snapshot(), len(self._frames)
                self._frames.append(HistoryFrame(seq, snapshot.step, encode_body(snapshot)))
                shown = time.monotonic()
            experiment.step()


state = st.session_state
if "run" not in state:
    state.drawn = -1  # newest drawn step
    state.run = {"worker": InWorker, "thread": InThread}[os.environ["TRAIN"]]()
    view = ChartView(config=CONFIG, texts=chart_texts())
    groups = ("main", "more") if os.environ.get("EVERY_CHART") else ("main",)
    # Skip the accuracy chart, which the lab does not show until a switch is turned on.
    state.charts = [
        entry.resolve()(view)
        for name, entry in CHARTS.items()
        if entry.group in groups and not entry.plane_only and name != "accuracy"
    ]


@st.fragment(run_every=0.05)
def dashboard() -> None:
    """Draw every chart with the newest frame."""
    frames = [frame for frame in state.run.frames() if frame.step > state.drawn]
    if not frames:
        return
    state.drawn = frames[-1].step
    for chart in state.charts:
        figure = apply(chart, frames, key=chart.name)
        figure.update_layout(chart.figure.layout, meta={"step": state.drawn})
        st.plotly_chart(figure, key=chart.name)


dashboard()
