"""The widgets of lessons: each a file here and in `assets/widgets`, and a line in `WIDGETS`."""

from bnviz.ui.lesson_widgets.by_hand import ByHandState, by_hand_data
from bnviz.ui.lesson_widgets.cut_network import CutState, cut_network_data
from bnviz.ui.lesson_widgets.ellipse import EllipseState, ellipse_data
from bnviz.ui.lesson_widgets.gamma_beta import GammaBetaState, gamma_beta_data
from bnviz.ui.lesson_widgets.outside_gradient import OutsideState, outside_gradient_data
from bnviz.ui.lesson_widgets.widget import WIDGETS, StateError, WidgetState, mount_widget

__all__ = [
    "WIDGETS", "ByHandState", "CutState", "EllipseState", "GammaBetaState", "OutsideState",
    "StateError", "WidgetState", "by_hand_data", "cut_network_data", "ellipse_data",
    "gamma_beta_data", "mount_widget",
    "outside_gradient_data",
]  # fmt: skip
