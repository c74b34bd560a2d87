"""The same charts through `st.plotly_chart` in a `run_every` fragment, to compare with.

Served by `benchmarks.dashboard`; the run trains in a worker process here as well, so that the two
differ only in how frames reach the screen.
"""

import orjson
import streamlit as st

from bnviz.charts import CHARTS, ChartView
from bnviz.charts.apply import apply
from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.texts import texts

CONFIG = RunConfig()

st.set_page_config(layout="wide")
if "run" not in st.session_state:
    hub = current_hub()
    st.session_state.run = hub.start("0" * 64, CONFIG, pace="full")
    hub.keep(st.session_state.run)
    view = ChartView(config=CONFIG, texts=texts(name="charts"))
    st.session_state.charts = [
        entry.resolve()(view) for entry in CHARTS.values() if entry.group == "main"
    ]


@st.fragment(run_every=0.05)
def dashboard() -> None:
    frames = [orjson.loads(frame) for frame in current_hub().kept_frames(st.session_state.run)]
    if not frames:
        return
    for chart in st.session_state.charts:
        figure = apply(chart, frames)
        figure.update_layout(meta={"step": frames[-1]["step"]})
        st.plotly_chart(figure, key=chart.name)


dashboard()
