"""Page object for a page with the live view, and a pool of such pages."""

from playwright.sync_api import Page

from bnviz.live.web.assets import VERSION
from tests.browser.tabs import MEDIA

VIEW = "[data-testid='live-view']"
# Timeout in milliseconds. A long timeout only delays the report of a real failure.
PATIENCE = 240_000
WINDOW = {"width": 1300, "height": 1000}


def call(page: Page, module: str, expression: str, argument: object = None) -> object:
    """Evaluate a JavaScript expression that may use the module `m` and the argument `a`. In it,
    `load(name)` imports another module.
    """
    return page.evaluate(
        """async ([version, path, text, a]) => {
          const load = (name) => import(`/assets/${version}/live/${name}.js`);
          return new Function("m", "a", "load", "return " + text)(await load(path), a, load);
        }""",
        [VERSION, module, expression, argument],
    )


USABLE = """() => {
  const { code = null } = JSON.parse(sessionStorage.getItem("bnviz-room") ?? "{}");
  return Boolean(window.leave) && code === null;
}"""


class Pages:
    """Pool of tabs with the test page loaded and no view mounted.

    Pages are reused, because loading Plotly and all modules takes most of a test's time.
    """

    def __init__(self, tabs, harness):
        self._tabs, self._harness = tabs, harness
        self._idle = []

    def take(self, *, viewport=WINDOW, **options):
        """Return a loaded page. Options outside `MEDIA` always open a new page."""
        media = {name: options.pop(name, usual) for name, usual in MEDIA.items()}
        opened = self._idle.pop() if self._idle and not options else self._load(options)
        opened.problems.clear()
        opened.page.set_viewport_size(viewport)
        opened.page.emulate_media(**media)
        return opened

    def _load(self, options):
        opened = self._tabs.take(WINDOW, **options)
        opened.page.set_default_timeout(PATIENCE)
        opened.page.goto(self._harness.url)
        opened.page.wait_for_function("Boolean(window.visit)")
        return opened

    def give_back(self, opened):
        """Remove the view, and return the elements that it left on the page."""
        if not opened.plain or not opened.page.evaluate(USABLE):
            # Do not reuse a tab that has special options, that shows another page, or whose page
            # has opened a room for a class and keeps polling it.
            self._tabs.give_back(opened, self._harness.url + "blank")
            return []
        opened.page.mouse.up()
        opened.page.mouse.move(0, 0)
        left = opened.page.evaluate("leave()")
        opened.page.unroute_all(behavior="ignoreErrors")
        if not left and not opened.problems:
            self._idle.append(opened)
        return left


class Tab:
    """A page with the live view on it."""

    def __init__(self, page, problems):
        self.page, self.problems = page, problems
        self.view = page.locator(VIEW)

    def reload(self):
        """Load the page again, and show the run on it."""
        self.page.reload()
        self.page.wait_for_function("Boolean(window.visit)")
        self.page.evaluate("visit()")

    def wait(self, condition, argument=None):
        self.page.wait_for_function(
            "([condition, argument]) => { const root = document.querySelector(\"" + VIEW + "\");"
            " return root && new Function('view', 'argument', 'root', 'return ' + condition)"
            "(root.dataset, argument, root); }",
            arg=[condition, argument],
        )  # fmt: skip

    def drawn(self, seq):
        self.wait("Number(view.seq) === argument", seq)

    def plot(self, name, expression):
        """Evaluate a JavaScript expression in which `gd` is the Plotly element of a chart."""
        return self.page.evaluate(
            "([name, text]) => new Function('gd', 'return ' + text)("
            "document.querySelector(`[data-chart=${name}] .js-plotly-plot`))",
            [name, expression],
        )

    def figure(self, name):
        """Return the element into which Plotly draws."""
        return self.page.query_selector(f"[data-chart={name}] .js-plotly-plot")

    def filled(self, name):
        self.page.wait_for_function(
            "(name) => document.querySelector(`[data-chart=${name}] .js-plotly-plot`)?.data"
            "?.some((trace) => trace.mode !== 'text' && trace.x?.length > 2)",
            arg=name,
        )

    def commands(self):
        """Return the newest command of each message that the page sent to its script."""
        return self.page.evaluate(
            "window.commands.map(({ commands }) => { const { sent, ...rest } = commands.at(-1);"
            " return rest; })"
        )
