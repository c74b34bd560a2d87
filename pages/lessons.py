"""The page of the course, and of each lesson."""

from bnviz.ui.lessons.page import draw_lessons
from bnviz.ui.navigation import navigate

navigate("lessons")
draw_lessons()
