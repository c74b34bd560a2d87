"""The page of talks: those of the app, one's own, and runs that are kept for a lecture."""

from bnviz.ui.navigation import answer_unknown, navigate
from bnviz.ui.talks_page import draw_talks

navigate("talks")
answer_unknown()
draw_talks()
