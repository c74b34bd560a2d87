"""The header: the same on every page and width, over everything, and in the way of nothing."""

from playwright.sync_api import expect

from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import texts

WORDS = texts("navigation")
PLACES = [WORDS[name] for name, page in PAGES.items() if page.listed and name != "home"]
STILL = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
# It lies over all of the window's upper edge, and nothing lies over it.
THERE = """() => {
  const header = document.querySelector(".st-key-navigation");
  const { left, right, top, bottom } = header.getBoundingClientRect();
  return left === 0 && right >= document.documentElement.clientWidth && top === 0 && bottom > 40
    && [0.35, 0.65, 0.99].every((part) =>
      header.contains(document.elementFromPoint(part * innerWidth, (top + bottom) / 2)));
}"""
# What the header covers of a page that is not scrolled.
COVERED = """() => {
  const header = document.querySelector(".st-key-navigation");
  const edge = header.getBoundingClientRect().bottom;
  const parts = "h1, h2, h3, p, a, button, summary, label, input, img, svg.main-svg";
  const over = (part) => part.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !header.contains(part) && part.getBoundingClientRect().width > 1
    && part.getBoundingClientRect().right > 0
    && part.getBoundingClientRect().top < edge && part.getBoundingClientRect().bottom > 0
    && !part.closest("[data-testid=stHeader], [data-testid=stExpandSidebarButton]");
  return [...document.querySelectorAll(parts)].filter(over)
    .map((part) => part.outerHTML.slice(0, 120));
}"""
# Scroll the page, and the knobs beside it, to their ends or back; how far they are then.
SCROLL = """(end) => {
  const names = ["stMain", "stSidebarContent"];
  const parts = names.map((name) => document.querySelector(`[data-testid=${name}]`));
  return parts.filter(Boolean).map((part) => {
    part.scrollTo(0, end ? part.scrollHeight : 0);
    return part.scrollTop;
  });
}"""


def test_it_leads_from_every_page_to_every_other_and_is_never_lost(visit):
    page = visit("/_stcore/health").page
    origin = page.url.partition("/_stcore")[0]
    scrolled = set()
    for name, place in PAGES.items():
        page.goto(f"{origin}/{place.path}")
        header = page.get_by_role("navigation", name=WORDS["label"])
        for width, height in ((1440, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            expect(header).to_have_count(1)
            page.wait_for_function(STILL)
            brand = header.get_by_role("link", name=WORDS["home"], exact=True)
            expect(brand).to_be_visible()
            links = header.locator(".bnviz-places a:visible")
            menu = header.locator("summary")
            if width == 390:
                expect(links).to_have_count(0)
                menu.focus()
                page.keyboard.press("Enter")
            else:
                expect(menu).to_be_hidden()
            expect(links).to_have_text(PLACES)
            if place.listed and name != "home":
                here = header.locator(".bnviz-places a[aria-current=page]:visible")
                expect(here).to_have_text([WORDS[name]])
            if width == 390:
                menu.press("Enter")
                expect(links).to_have_count(0)
            page.wait_for_function(THERE)
            page.wait_for_function(f"() => !({COVERED})().length")
            if any(page.evaluate(SCROLL, True)):
                scrolled.add(name)
            page.wait_for_function(THERE)
            page.evaluate(SCROLL, False)
    assert {"lessons", "lab", "claims", "about"} <= scrolled, "so that it could have been lost"
    # By its menu to another page, where the menu is closed again.
    header.locator("summary").click()
    header.get_by_role("link", name=WORDS["claims"], exact=True).click()
    page.wait_for_url(f"{origin}/claims")
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_function(STILL)
    expect(header.locator(".bnviz-places a:visible")).to_have_count(0)
