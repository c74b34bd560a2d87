"""Talks page: the app's talks, users' own talks, and runs stored for a lecture."""

from bnviz.ui.navigation import answer_unknown, navigate
from bnviz.ui.talks_page import draw_talks

navigate("talks")
answer_unknown()
draw_talks()
