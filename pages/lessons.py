"""The course, lesson by lesson."""

from bnviz.ui.lessons.page import draw_lessons
from bnviz.ui.navigation import navigate
from bnviz.ui.sitemap import LESSONS

navigate(LESSONS)
draw_lessons()
