"""The page About: internal covariate shift, how numbers are measured, how to cite them."""

from bnviz.ui.about import draw_about
from bnviz.ui.kit_page import PARAMETER as KIT
from bnviz.ui.kit_page import draw_kit, kit_wanted
from bnviz.ui.navigation import answer_unknown, navigate
from bnviz.ui.sitemap import ABOUT

navigate(ABOUT)
answer_unknown(KIT)
if kit_wanted():
    draw_kit()
else:
    draw_about()
