"""The home page: two networks to break, and links to lessons, lab and map."""

import streamlit as st

from bnviz.ui.home import REPLAY, draw_home
from bnviz.ui.navigation import answer_unknown, lead_to_lab, navigate

lead_to_lab()
# The header stands above the page, but is sent after it: a browser draws in the order of arrival.
header = st.container(key="header")
answer_unknown(REPLAY)
draw_home()
with header:
    navigate("home")
