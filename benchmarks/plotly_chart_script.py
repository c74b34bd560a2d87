"""The dashboard's charts through `st.plotly_chart` in a `run_every` fragment, to compare with.

The run trains in a worker process here as well, and frames are decoded once, so that the two differ
only in how frames reach the screen.
"""

import os

import orjson
import streamlit as st

from bnviz.charts import CHARTS, ChartView
from bnviz.charts.apply import apply
from bnviz.charts.frame import Frame
from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.frames import untyped
from bnviz.texts import texts

CONFIG = RunConfig()
POINTS = 400


def decoded(body: bytes) -> Frame:
    """A frame of the wire as charts see it."""
    message = orjson.loads(body)
    arrays = {name: untyped(spec) for name, spec in message["arrays"].items()}
    return Frame(message["step"], message["networks"], arrays)


state = st.session_state
if "run" not in state:
    state.run = current_hub().start("0" * 64, CONFIG, pace="full")
    view = ChartView(config=CONFIG, texts=texts(name="charts"))
    groups = ("main", "more") if os.environ.get("EVERY_CHART") else ("main",)
    # The accuracy stands behind a switch on the page; it is not shown there either.
    state.charts = [
        entry.resolve()(view)
        for name, entry in CHARTS.items()
        if entry.group in groups and not entry.plane_only and name != "accuracy"
    ]
    state.frames = {}


@st.fragment(run_every=0.05)
def dashboard() -> None:
    """Draw every chart with the newest frame."""
    for kept in list(current_hub().gallery.kept(state.run))[-POINTS:]:
        if kept.step not in state.frames:
            state.frames[kept.step] = decoded(kept.body)
    frames = [state.frames[step] for step in sorted(state.frames)][-POINTS:]
    if not frames:
        return
    for chart in state.charts:
        figure = apply(chart, frames)
        figure.update_layout(meta={"step": frames[-1].step})
        st.plotly_chart(figure, key=chart.name)


dashboard()
