"""Serve `plotly_chart_script` with a hub in the same process, as `app.py` serves the lab."""

from pathlib import Path

import streamlit as st

from bnviz.live.app import lifespan

app = st.App(Path(__file__).resolve().parent / "plotly_chart_script.py", lifespan=lifespan)
