"""The app with a simulated GPU: `streamlit run tests/browser/gpu_app.py`."""

import streamlit as st

from bnviz import device
from bnviz.live.runs.workers import Workers
from bnviz.ui.serving import SCRIPT, app_arguments

device.driver_present = lambda environment: True
Workers.program = ("tests.live.stand_in_gpu",)
app = st.App(SCRIPT, **app_arguments())
