"""How the numbers on screen are measured, and what the words mean."""

import streamlit as st

from bnviz.texts import prose
from bnviz.ui.navigation import navigate
from bnviz.ui.places import ABOUT

navigate(ABOUT)
with st.container(key="prose"):
    st.markdown(prose("about"))
