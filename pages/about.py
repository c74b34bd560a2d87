"""The page About: internal covariate shift, how numbers are measured, how to cite them."""

from bnviz.ui.about import draw_about
from bnviz.ui.navigation import answer_unknown, navigate

navigate("about")
answer_unknown()
draw_about()
