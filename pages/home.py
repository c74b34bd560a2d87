"""The way in: two networks to break, and doors to the lessons, the lab and the claims."""

import streamlit as st

from bnviz.ui.home import REPLAY, draw_home
from bnviz.ui.lab_query import answer_unknown, lead_to_lab
from bnviz.ui.navigation import navigate
from bnviz.ui.sitemap import HOME

lead_to_lab()
# Over the page, but drawn after it: a browser draws first what comes first.
header = st.container(key="header")
answer_unknown(REPLAY)
draw_home()
with header:
    navigate(HOME)
