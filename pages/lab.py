"""The live lab: networks with and without normalization, trained side by side."""

import streamlit as st

from bnviz.ui.claims.watching import show_watched
from bnviz.ui.embed import embedded
from bnviz.ui.live_view import mount_live_view
from bnviz.ui.navigation import navigate
from bnviz.ui.sidebar import LabSidebar, intro
from bnviz.ui.sitemap import LAB
from bnviz.ui.tab_run import open_lab
from bnviz.words.texts import texts

lab = open_lab()
alone = embedded()
header = st.container(key="header")
if not alone:
    show_watched(lab)
# What a script draws arrives in its order, and a browser draws all that has arrived in one piece:
# the live view comes first, then the header over it, and the knobs when it says that it stands.
mount_live_view(lab)
with header:
    navigate(LAB)
if not alone:
    words = texts("lab")
    with st.sidebar:
        # For those who listen, and so that the sidebar has its place at once. Not a heading: the
        # main part has the page's, also where the sidebar is closed.
        with st.container(key="lab_title"):
            st.markdown(f"**{words['title']}**\n\n{intro(lab.config.norms, words)}")
        if lab.view_drawn:
            LabSidebar(lab).draw()
