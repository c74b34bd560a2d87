"""What internal covariate shift is, how the numbers on screen are measured, how to cite them."""

import streamlit as st

from bnviz.texts import prose, texts
from bnviz.ui.citation import citation
from bnviz.ui.claims.html import joined, tag
from bnviz.ui.kit_page import PARAMETER as KIT
from bnviz.ui.kit_page import draw_kit, kit_wanted
from bnviz.ui.navigation import navigate
from bnviz.ui.old_addresses import answer_unknown
from bnviz.ui.places import ABOUT

navigate(ABOUT)
answer_unknown(KIT)
if kit_wanted():
    draw_kit()
else:
    with st.container(key="prose"):
        st.markdown(prose("about"))
        st.html(joined(tag("h2", texts("navigation")["cite"]["title"]), tag("p", citation())))
