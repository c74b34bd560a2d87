"""The live lab: networks with and without normalization, trained side by side."""

import streamlit as st

from bnviz.texts import texts
from bnviz.ui.claims.watching import show_watched
from bnviz.ui.controls import Controls, intro
from bnviz.ui.lab import open_lab
from bnviz.ui.live_view import mount_live_view
from bnviz.ui.navigation import navigate
from bnviz.ui.places import LAB

words = texts(name="lab")
lab = open_lab()
show_watched(lab)
# What a script draws arrives in its order, and a browser draws all that has arrived in one piece:
# the live view comes first, and the knobs when it says that it stands.
mount_live_view(lab)
with st.sidebar:
    links = st.container()
    st.markdown(f"## {words['title']}\n{intro(lab.config.norms, words)}")
    if lab.drawn:
        with links:
            navigate(LAB)
        Controls(lab).draw()
