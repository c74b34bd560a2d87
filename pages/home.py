"""The way in: two networks to break, and doors to the lessons, the lab and the claims."""

import streamlit as st

from bnviz.ui.home import draw_home
from bnviz.ui.navigation import navigate
from bnviz.ui.old_addresses import answer_unknown, lead_to_lab
from bnviz.ui.places import HOME
from bnviz.ui.replay import NAME as REPLAY

lead_to_lab()
# Over the page, but drawn after it: a browser draws first what comes first.
header = st.container(key="header")
answer_unknown(REPLAY)
draw_home()
with header:
    navigate(HOME)
