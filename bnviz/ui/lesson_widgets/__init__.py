"""The widgets of lessons: each a file here and in `assets/widgets`, and a line in `WIDGETS`."""

from bnviz.ui.lesson_widgets.averages import AveragesState, averages_data
from bnviz.ui.lesson_widgets.by_hand import ByHandState, by_hand_data
from bnviz.ui.lesson_widgets.cloud import CloudState, cloud_data
from bnviz.ui.lesson_widgets.compose_batch import ComposeState, compose_batch_data
from bnviz.ui.lesson_widgets.cut_network import CutState, cut_network_data
from bnviz.ui.lesson_widgets.ellipse import EllipseState, ellipse_data
from bnviz.ui.lesson_widgets.gamma_beta import GammaBetaState, gamma_beta_data
from bnviz.ui.lesson_widgets.outside_gradient import OutsideState, outside_gradient_data
from bnviz.ui.lesson_widgets.own_verdict import OwnVerdictState, own_verdict_data
from bnviz.ui.lesson_widgets.shared_mean import SharedMeanState, shared_mean_data
from bnviz.ui.lesson_widgets.shift_outside import ShiftState, shift_outside_data
from bnviz.ui.lesson_widgets.steps_seconds import StepsSecondsState, steps_seconds_data
from bnviz.ui.lesson_widgets.widget import WIDGETS, StateError, WidgetState, mount_widget

__all__ = [
    "WIDGETS", "AveragesState", "ByHandState", "CloudState", "ComposeState", "CutState",
    "EllipseState", "GammaBetaState", "OutsideState", "OwnVerdictState", "SharedMeanState",
    "ShiftState", "StateError", "StepsSecondsState", "WidgetState", "averages_data", "by_hand_data",
    "cloud_data", "compose_batch_data", "cut_network_data", "ellipse_data", "gamma_beta_data",
    "mount_widget", "outside_gradient_data", "own_verdict_data", "shared_mean_data",
    "shift_outside_data", "steps_seconds_data",
]  # fmt: skip
