"""Accessibility checks: axe-core violations, text contrast, and horizontal overflow."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Exclude the thousands of spans that KaTeX adds for display beside each formula's MathML.
OURS = {"exclude": [[".katex-html"]]}

# Filter in the browser: transferring every violation takes as long as the check itself.
FAULTS = """async ([context, options]) => (await axe.run(context, options)).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 160))])"""

# JavaScript function that returns whether the page has settled. Streamlit fades stale elements
# while the page's script runs, and new elements fade in.
RESTS = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  const ends = ({ effect }) => effect.getComputedTiming().endTime !== Infinity;
  return (!app || app.dataset.testScriptState === "notRunning")
    && !document.querySelector("[data-stale=true]")
    && !document.getAnimations().some((one) => one.playState === "running" && ends(one));
}"""


def serious(page: Page, *rules: str) -> list[tuple[str, list[str]]]:
    """Return each serious or critical violation with the start of every affected element's HTML.

    Args:
        *rules: axe rules to run; all rules if empty.
    """
    page.wait_for_function(RESTS)
    # If axe also reports passed rules, it takes six times as long on a page with many elements.
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(Axe().axe_script)
    return [(name, elements) for name, elements in page.evaluate(FAULTS, [OURS, options])]


def low_contrast(page: Page) -> list[tuple[str, list[str]]]:
    """Return text with too little contrast, the only violation that a change of theme can cause."""
    return serious(page, "color-contrast")


def until_it_fits(page: Page, width: int) -> None:
    """Wait until the window has this width and no horizontal overflow."""
    page.wait_for_function(
        """width => innerWidth === width
          && [document.documentElement, document.querySelector("main, [data-testid=stMain]")]
            .every((part) => part.scrollWidth <= part.clientWidth)""",
        arg=width,
    )
