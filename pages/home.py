"""Home page: two networks to break, and links to the lessons, the lab and the map."""

import streamlit as st

from bnviz.ui.home import REPLAY, draw_home
from bnviz.ui.navigation import answer_unknown, lead_to_lab, navigate

lead_to_lab()
# The header is above the page but is sent after it, because a browser draws in order of arrival.
header = st.container(key="header")
answer_unknown(REPLAY)
draw_home()
with header:
    navigate("home")
