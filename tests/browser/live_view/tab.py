"""A page with the live view on it, as a test handles it."""

from playwright.sync_api import Page

VIEW = "[data-testid='live-view']"


def call(page: Page, module: str, expression: str, argument: object = None) -> object:
    """Evaluate an expression of a module `m` and an argument `a`."""
    return page.evaluate(
        "async ([path, text, a]) => new Function('m', 'a', 'return ' + text)"
        "(await import(`/assets/v1/live/${path}.js`), a)",
        [module, expression, argument],
    )


class Tab:
    """A page with the live view on it."""

    def __init__(self, page, problems):
        self.page, self.problems = page, problems
        self.view = page.locator(VIEW)

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
        """Evaluate an expression of `gd`, a chart's figure."""
        return self.page.evaluate(
            "([name, text]) => new Function('gd', 'return ' + text)("
            "document.querySelector(`[data-chart=${name}] .js-plotly-plot`))",
            [name, expression],
        )

    def figure(self, name):
        """The element Plotly draws into."""
        return self.page.query_selector(f"[data-chart={name}] .js-plotly-plot")

    def filled(self, name):
        self.page.wait_for_function(
            "(name) => document.querySelector(`[data-chart=${name}] .js-plotly-plot`)?.data"
            "?.some((trace) => trace.mode !== 'text' && trace.x?.length > 2)",
            arg=name,
        )

    def commands(self):
        """What was asked for, the newest of each message."""
        return self.page.evaluate(
            "window.commands.map(({ commands }) => { const { sent, ...rest } = commands.at(-1);"
            " return rest; })"
        )
