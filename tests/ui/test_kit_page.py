"""The page of the kit: asked for by the address, and complete."""

import re

from bnviz.ui.kit_page import STATES, THEMES, colours, sizes
from bnviz.ui.sitemap import ABOUT, ROOT
from bnviz.words.texts import texts
from tests.every_case import every_case

PARTS = ("slider", "hand", "segments", "chip", "first", "link", "close")


def html(page):
    return " ".join(part.value for part in page.get("html"))


def test_the_address_asks_for_it_and_a_value_that_says_nothing_is_answered(open_page):
    asked, plain = html(open_page(ABOUT, kit="1")), html(open_page(ABOUT))
    assert 'class="kit-themes"' in asked
    assert 'class="bnviz-answer"' not in asked
    assert 'class="kit-themes"' not in plain
    for said in ("0", "yes", "<b>"):
        wrong = html(open_page(ABOUT, kit=said))
        assert 'class="kit-themes"' not in wrong
        assert "`kit` must be 1 or left out, got '" in wrong
    (answer,) = re.findall(r'class="bnviz-answer"[^>]*>([^<]*)<', html(open_page(ABOUT, kti="1")))
    assert "kti" in answer


def test_it_shows_each_control_in_each_state_and_both_themes_and_all_there_is_of_the_kit(open_page):
    page = html(open_page(ABOUT, kit="1"))
    halves = re.findall(r'data-theme="(\w+)"', page)
    assert tuple(halves) == THEMES
    for part in PARTS:
        assert page.count(f'data-part="{part}"') == len(THEMES)
    words = texts("kit")
    assert tuple(words["state"]) == STATES
    for said in words["state"].values():
        assert page.count(f"<small>{said}</small>") == len(PARTS) * len(THEMES)
    kit = (ROOT / "assets" / "kit.css").read_text()
    assert all(f"var(--{name})" in page for name in colours())
    assert all(f"--{name}" in kit for name in colours())
    assert len(sizes()) == 6


@every_case("name", ["ink", "muted", "edge", "ground", "paper", "accent", "link",
                                  "plain", "batch", "warning"])  # fmt: skip
def test_the_colours_that_pages_need_are_there(name):
    assert name in colours()
