"""Lab page: networks with and without normalization that train side by side."""

import streamlit as st

from bnviz.ui.claims.claim_in_lab import draw_claim_card
from bnviz.ui.embed import embedded
from bnviz.ui.live_view import mount_live_view
from bnviz.ui.navigation import navigate
from bnviz.ui.query_problems import answer_link
from bnviz.ui.sidebar import LabSidebar, intro
from bnviz.ui.tab_run import open_lab
from bnviz.words.texts import texts

lab = open_lab()
framed = embedded()
header = st.container(key="header")
with st.container(key="link"):
    answer_link(lab.query.told(), link=f"{lab.tab} {lab.widget_version}", at=lab.run_id)
if not framed:
    draw_claim_card(lab)
# A browser draws in the order of the script, so the live view comes before the header above it. The
# knobs follow after the browser has reported that the view is drawn.
mount_live_view(lab)
with header:
    navigate("lab")
if not framed:
    words = texts("lab")
    with st.sidebar:
        # Draw the title at once, so that the sidebar keeps its place and screen readers find the
        # title. It is not a heading, because the main part has the page's heading even if the
        # sidebar is closed.
        with st.container(key="lab_title"):
            st.markdown(f"**{words['title']}**\n\n{intro(lab.config.norms, words)}")
        if lab.view_drawn:
            LabSidebar(lab).draw()
