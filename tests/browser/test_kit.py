"""Control kit: every control in every state on a test page, and on the app's pages.

With `BNVIZ_PICTURES` set to a folder, the test saves a screenshot of the test page there.
"""

import os
from pathlib import Path

import pytest

from tests.browser.accessible import serious, until_it_fits
from tests.browser.lab_page import CALM
from tests.test_styles import ASSETS, said
from tests.test_styles import SIZES as TYPE

THEMES = ("light", "dark")
# Attributes that show a state. `data-state` simulates pointer and keyboard states.
STATES = {
    "rest": "", "hover": 'data-state="hover"', "focus": 'data-state="focus"',
    "pressed": 'data-state="pressed"', "disabled": "disabled",
}  # fmt: skip
SHEETS = ("kit.css", "controls.css", "live_knobs.css")
PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>The kit</title>
<meta name="viewport" content="width=device-width">
<style>{"".join(said(ASSETS / name) for name in SHEETS)}
main {{ font-family: sans-serif; display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 520px), 1fr)); }}
.bnviz {{ background: var(--ground); padding: 16px; min-width: 0; }}
.bnviz > section {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(116px, 1fr));
  gap: 10px; padding: 10px 0; }}
.sample {{ display: grid; justify-items: start; min-width: 0; }}
dialog {{ grid-column: 1 / -1; }}
</style><main><h1 class="bnviz bnviz-hidden">The kit</h1>"""


def slider(state, label):
    kind = f'type="range" min="0" max="10" value="6" style="--done: 0.6" aria-label="{label}"'
    return f"<input {kind} {STATES[state]}>"


def segments(state, label):
    """Return two segments, the first of which is selected.

    The state applies to the second segment, or to both segments if it is `pressed` or `disabled`.
    """
    chosen = f'<input type="radio" name="{label}" checked {STATES[state]}><span>loss</span>'
    other = f'<input type="radio" name="{label}" {STATES[state]}><span>rate</span>'
    both = STATES[state] if state == "pressed" else ""
    return (
        f'<div class="bnviz-segments" role="radiogroup" aria-label="{label}" {both}>'
        f"<label>{chosen}</label><label {STATES[state]}>{other}</label></div>"
    )


def chip(state, kind=""):
    pressed = 'aria-pressed="true"' if state == "pressed" else ""
    return f'<button class="bnviz-pill {kind}" {pressed} {STATES[state]}>Share</button>'


def link(state):
    """Return a link. A disabled link is a button, and a pressed link points to the current page."""
    if state == "disabled":
        return '<button class="bnviz-link" disabled>The lesson</button>'
    here = 'aria-current="page"' if state == "pressed" else ""
    return f'<a href="#" {here} {STATES[state]}>The lesson</a>'


def close(state, label):
    return f'<button class="bnviz-icon" aria-label="{label}" {STATES[state]}>×</button>'


CONTROLS = {
    "slider": slider,
    "hand": lambda state, label: (
        '<div class="bnviz-home"><div class="bnviz-knob bnviz-knob-rate">'
        f'<div class="bnviz-knob-track">{slider(state, label)}</div></div></div>'
    ),
    "segments": segments,
    "chip": lambda state, label: chip(state),
    "first": lambda state, label: chip(state, "bnviz-filled"),
    "link": lambda state, label: link(state),
    "close": close,
}


def half(theme):
    """Return the HTML of all type sizes and of every control in every state, in one theme."""
    sizes = (f'<p style="font-size: var(--type-{name})">{name}</p>' for name in TYPE)
    parts = (
        f'<section data-part="{name}">' + "".join(
            f'<div class="sample">{draw(state, f"{name}, {state}, {theme}")}'
            f"<small>{state}</small></div>"
            for state in STATES
        ) + "</section>"
        for name, draw in CONTROLS.items()
    )  # fmt: skip
    dialog = (
        f'<dialog class="bnviz-dialog" open aria-label="dialog, {theme}"><header><h2>Dialog</h2>'
        f"{close('rest', 'close')}</header><fieldset><legend>What to add</legend>{chip('rest')}"
        "</fieldset></dialog>"
    )
    return (
        f'<section class="bnviz" data-theme="{theme}">{"".join(sizes)}{"".join(parts)}'
        f'<section data-part="dialog">{dialog}</section></section>'
    )


# JavaScript function that returns the font sizes of all visible text.
SIZES = """() => {
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
  while (words.nextNode()) {
    const { data, parentElement: element } = words.currentNode;
    if (data.trim() && element.checkVisibility()) found.add(getComputedStyle(element).fontSize);
  }
  return [...found].sort();
}"""
# JavaScript function that returns the computed style and the height of an element.
STYLES_OF = """(element, names) => {
  const style = getComputedStyle(element);
  const looks = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)]));
  return { ...looks, tall: element.checkVisibility() ? element.offsetHeight : null };
}"""
SLIDER = ("--thumb", "--line-width", "--fill", "--halo", "opacity", "cursor", "appearance")
BOX = ("background-color", "color", "border-top-color", "border-top-width", "border-radius")
WORDS = ("font-size", "font-weight", "line-height")
LINK = ("color", "text-decoration-line", "text-decoration-thickness", "text-underline-offset")
# Selector of links with a style of their own: navigation lists and chips.
LISTED = ".bnviz-pages a, .bnviz-languages a, .lesson-link, .bnviz-pill"
SEGMENT = ("background-color", "color", "font-weight")


@pytest.fixture(scope="module")
def kit(visit_once, tmp_path_factory):
    file = tmp_path_factory.mktemp("kit") / "kit.html"
    file.write_text(PAGE + "".join(map(half, THEMES)), encoding="utf-8")
    return visit_once(str(file), base="file://").page


def part(kit, name, at):
    """Return the first element that matches the selector `at` in a part of the kit."""
    return kit.locator(f"[data-theme=light] [data-part={name}] {at}").first


def looks(place, *names, tall=True):
    found = place.evaluate(STYLES_OF, list(names))
    return found if tall and found["tall"] is not None else {**found, "tall": None}


def test_controls_are_readable_in_every_state_and_both_themes_in_six_sizes(kit, tmp_path):
    assert len(kit.evaluate(SIZES)) == len(TYPE)
    grounds = set()
    for theme in THEMES:
        shown = kit.locator(f"[data-theme={theme}]")
        grounds.add(shown.evaluate("half => getComputedStyle(half).backgroundColor"))
        assert shown.locator("dialog[open]").is_visible()
        assert all(sample.is_visible() for sample in shown.locator(".sample > :first-child").all())
    assert len(grounds) == len(THEMES)
    assert serious(kit) == []
    kit.screenshot(
        path=Path(os.environ.get("BNVIZ_PICTURES") or tmp_path) / "kit.png", full_page=True
    )


def test_every_state_has_a_look_of_its_own(kit):
    for name, at, seen in (
        ("chip", "button", (*BOX, "opacity", "outline-style")),
        ("slider", "input", (*SLIDER, "outline-style")),
        ("close", "button", (*BOX, "opacity", "outline-style")),
    ):
        found = [
            tuple(sample.evaluate(STYLES_OF, list(seen)).values())
            for sample in kit.locator(f"[data-theme=light] [data-part={name}] {at}").all()
        ]
        assert len(set(found)) == len(STATES), name


def test_on_a_phone_it_is_no_wider_than_the_window(kit):
    kit.set_viewport_size({"width": 390, "height": 844})
    until_it_fits(kit, 390)
    kit.set_viewport_size({"width": 1440, "height": 1000})


@pytest.mark.verify
def test_home_and_a_lesson_are_made_of_it(kit, visit):
    home = visit("/", **CALM).drawn()
    under_the_hand = home.view.locator(".bnviz-knob-rate input[type=range]").first
    assert looks(under_the_hand, *SLIDER) == looks(part(kit, "hand", "input"), *SLIDER)
    door = home.page.locator(".bnviz-doors a").first
    assert looks(door, *LINK, tall=False) == looks(part(kit, "link", "a"), *LINK, tall=False)
    share = home.view.locator(".bnviz-prompt-share")
    first = part(kit, "first", "button")
    assert looks(share, *BOX, *WORDS, tall=False) == looks(first, *BOX, *WORDS, tall=False)
    lesson = visit("/lessons?lesson=break-it&guess=stays", **CALM).drawn()
    line = lesson.view.locator(".bnviz-timeline input")
    assert looks(line, *SLIDER) == looks(part(kit, "slider", "input"), *SLIDER)
    link = looks(part(kit, "link", "a"), *LINK, tall=False)
    links = lesson.page.locator(f"[data-testid=stMain] a:visible:not({LISTED})").all()
    assert links
    assert [one.inner_text() for one in links if looks(one, *LINK, tall=False) != link] == []


def test_the_lab_is_made_of_it(kit, visit):
    lab = visit("/lab?paused=1", **CALM).drawn()
    page, sidebar = lab.page, lab.page.get_by_test_id("stSidebar")
    for place in (lab.slider("Batch size"), lab.view.locator(".bnviz-timeline input")):
        assert looks(place, *SLIDER) == looks(part(kit, "slider", "input"), *SLIDER)
    # Streamlit draws the ring of its own sliders as an element.
    ring = sidebar.locator(".stSlider :has(> [data-testid=stSliderThumbValue])").first
    paper, ink = (part(kit, "dialog", "dialog").evaluate(STYLES_OF, [name])[name]
                  for name in ("background-color", "color"))  # fmt: skip
    assert looks(ring, "width", "border-top-color", "background-color") == {
        "width": "14px", "border-top-color": ink, "background-color": paper, "tall": 14,
    }  # fmt: skip
    chip = part(kit, "chip", "button")
    for name in ("Ask the class", "Share"):
        assert looks(lab.button(name), *BOX, *WORDS) == looks(chip, *BOX, *WORDS)
    chosen = looks(part(kit, "segments", "input:checked + span"), *SEGMENT, tall=False)
    for place in (
        lab.view.locator(".bnviz-segments input:checked + span").first,
        sidebar.locator("button[data-variant=segmented_control][aria-checked=true]").first,
    ):
        assert looks(place, *SEGMENT, tall=False) == chosen
    # The font size of a link depends on the surrounding page, so it is not compared.
    link = page.locator(".bnviz-lesson a").first
    assert looks(link, *LINK, tall=False) == looks(part(kit, "link", "a"), *LINK, tall=False)
    lab.view.locator("[data-control=export]").evaluate("button => button.click()")
    for at, seen in (("dialog", (*BOX, "padding", "box-shadow")), ("dialog h2", (*BOX, *WORDS)),
                     ("dialog .bnviz-icon", (*BOX, *WORDS))):  # fmt: skip
        shown = looks(page.locator(f"[data-testid=live-view] {at}"), *seen, tall=False)
        assert shown == looks(part(kit, "dialog", at), *seen, tall=False), at


@pytest.mark.verify
def test_the_map_is_made_of_it(kit, visit):
    page = visit("/map", **CALM).page
    view = page.locator(".bnviz-stability")
    chip = part(kit, "chip", "button")
    share = view.get_by_role("button", name="Share", exact=True)
    share.wait_for()
    assert looks(share, *BOX, *WORDS) == looks(chip, *BOX, *WORDS)
    chosen = looks(part(kit, "segments", "input:checked + span"), *SEGMENT, tall=False)
    now = view.locator(".bnviz-segments input:checked + span").first
    assert looks(now, *SEGMENT, tall=False) == chosen
