"""What keeps people out of a page: what axe-core finds, and what is wider than their window."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Not what KaTeX draws for the eye, thousands of spans beside the formula's own MathML.
OURS = {"exclude": [[".katex-html"]]}

# axe returns only serious faults: sending all messages costs as much as the check itself.
FAULTS = """async ([context, options]) => (await axe.run(context, options)).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))])"""

# While the page's script runs Streamlit fades what is not drawn again yet; what opens fades in.
RESTS = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  const ends = ({ effect }) => effect.getComputedTiming().endTime !== Infinity;
  return (!app || app.dataset.testScriptState === "notRunning")
    && !document.querySelector("[data-stale=true]")
    && !document.getAnimations().some((one) => one.playState === "running" && ends(one));
}"""


def serious(page: Page, *rules: str) -> list[tuple[str, list[str]]]:
    """Each serious or critical fault: its name, and the beginnings of the elements that have it.

    Args:
        page: what is looked at.
        *rules: those of axe that are tried; none: all.
    """
    page.wait_for_function(RESTS)
    # To report what is in order as well takes axe six times as long on a page of many elements.
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(Axe().axe_script)
    return [(name, elements) for name, elements in page.evaluate(FAULTS, [OURS, options])]


def low_contrast(page: Page) -> list[tuple[str, list[str]]]:
    """Words that cannot be read on their ground: all that other colours of the same can change."""
    return serious(page, "color-contrast")


def until_it_fits(page: Page, width: int) -> None:
    """Wait until the window is so wide, and nothing in it needs to be scrolled sideways."""
    page.wait_for_function(
        """width => innerWidth === width
          && [document.documentElement, document.querySelector("main, [data-testid=stMain]")]
            .every((part) => part.scrollWidth <= part.clientWidth)""",
        arg=width,
    )
