"""What internal covariate shift is, how the numbers on screen are measured, how to cite them."""

from bnviz.ui.about import draw_about
from bnviz.ui.kit_page import PARAMETER as KIT
from bnviz.ui.kit_page import draw_kit, kit_wanted
from bnviz.ui.lab_query import answer_unknown
from bnviz.ui.navigation import navigate
from bnviz.ui.sitemap import ABOUT

navigate(ABOUT)
answer_unknown(KIT)
if kit_wanted():
    draw_kit()
else:
    draw_about()
