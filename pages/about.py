"""How the numbers on screen are measured, and what the words mean."""

import streamlit as st

from bnviz.texts import prose, texts
from bnviz.ui.places import LAB

words = texts(name="lab")
st.page_link(LAB, label=words["title"], icon=":material/arrow_back:")
with st.container(key="prose"):
    st.markdown(prose("about"))
