"""The stability map: which networks learn, at which learning rates and batch sizes."""

from bnviz.ui.map.page import draw_map

draw_map()
