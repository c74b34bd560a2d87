"""About page: internal covariate shift, the measurements, and the citation."""

from bnviz.ui.about import draw_about
from bnviz.ui.navigation import answer_unknown, navigate

navigate("about")
answer_unknown()
draw_about()
