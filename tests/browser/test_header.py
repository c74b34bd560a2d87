"""Links and menu of the header.

test_languages.py checks that the header covers the top of every page and hides no content.
"""

from playwright.sync_api import Page, expect

from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import texts

WORDS = texts("navigation")
PLACES = [WORDS[name] for name, page in PAGES.items() if page.listed and name != "home"]
STILL = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
# JavaScript function that returns whether the header spans the top of the window and nothing covers
# it.
THERE = """() => {
  const header = document.querySelector(".st-key-navigation");
  const { left, right, top, bottom } = header.getBoundingClientRect();
  return left === 0 && right >= document.documentElement.clientWidth && top === 0 && bottom > 40
    && [0.35, 0.65, 0.99].every((part) =>
      header.contains(document.elementFromPoint(part * innerWidth, (top + bottom) / 2)));
}"""
# JavaScript function that returns the elements that the header covers before any scrolling.
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
# JavaScript function that scrolls the page and the sidebar to their ends or back.
SCROLL = """(end) => {
  const names = ["stMain", "stSidebarContent"];
  const parts = names.map((name) => document.querySelector(`[data-testid=${name}]`));
  for (const part of parts.filter(Boolean)) part.scrollTo(0, end ? part.scrollHeight : 0);
}"""


def stays_above(page: Page) -> None:
    """Wait until the header is above the page, before and after scrolling, and hides no element of
    the unscrolled page.
    """
    page.wait_for_function(THERE)
    page.wait_for_function(f"() => !({COVERED})().length")
    page.evaluate(SCROLL, True)
    page.wait_for_function(THERE)
    page.evaluate(SCROLL, False)


def test_it_leads_from_page_to_page_by_its_links_and_on_a_phone_by_its_menu(visit):
    page = visit("/about").page
    header = page.get_by_role("navigation", name=WORDS["label"])
    links, menu = header.locator(".bnviz-places a:visible"), header.locator("summary")
    expect(header).to_have_count(1)
    expect(header.get_by_role("link", name=WORDS["home"], exact=True)).to_be_visible()
    expect(menu).to_be_hidden()
    expect(links).to_have_text(PLACES)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(links).to_have_count(0)
    menu.focus()
    page.keyboard.press("Enter")
    expect(links).to_have_text(PLACES)
    here = header.locator(".bnviz-places a[aria-current=page]:visible")
    expect(here).to_have_text([WORDS["about"]])
    menu.press("Enter")
    expect(links).to_have_count(0)
    # The menu also links to other pages, where the menu is closed again.
    menu.click()
    header.get_by_role("link", name=WORDS["claims"], exact=True).click()
    page.wait_for_url("**/claims")
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_function(f"() => {STILL}")
    expect(links).to_have_count(0)
