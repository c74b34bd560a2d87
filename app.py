"""ASGI app that `streamlit run app.py` serves."""

import streamlit as st

from bnviz.ui.serving import SCRIPT, app_arguments

app = st.App(SCRIPT, **app_arguments())
