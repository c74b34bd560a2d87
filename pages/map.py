"""Map page: which networks learn, by learning rate and batch size."""

from bnviz.ui.map.page import draw_map

draw_map()
