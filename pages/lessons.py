"""Lessons page: the course overview, and each lesson."""

from bnviz.ui.lessons.page import draw_lessons
from bnviz.ui.navigation import navigate

navigate("lessons")
draw_lessons()
