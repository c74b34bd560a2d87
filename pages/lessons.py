"""The page of the course, and of each lesson."""

from bnviz.ui.lessons.page import draw_lessons
from bnviz.ui.navigation import navigate
from bnviz.ui.sitemap import LESSONS

navigate(LESSONS)
draw_lessons()
