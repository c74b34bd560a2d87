"""The ASGI app, which `streamlit run app.py` finds and serves."""

import streamlit as st

from bnviz.ui.serving import SCRIPT, app_arguments

app = st.App(SCRIPT, **app_arguments())
