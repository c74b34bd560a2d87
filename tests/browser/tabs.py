"""Pool of browser tabs. Opening a new tab takes seconds; reusing an open tab is much faster."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page

# Media options that can change on an open page, with their default values.
MEDIA = {"media": "screen", "color_scheme": "light", "reduced_motion": "no-preference"}
DESK = {"width": 1440, "height": 1000}


class OpenTab:
    """A tab in its own browser context.

    Attributes:
        problems: console errors and uncaught exceptions since the tab was taken.
        plain: whether the tab has no special options and can be reused.
    """

    def __init__(self, page: Page, problems: list[str], *, plain: bool) -> None:
        self.page, self.problems, self.plain = page, problems, plain
        page.on("console", self._note)
        page.on("pageerror", lambda error: problems.append(f"page error: {error}"))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            place = message.location.get("url", "")
            self.problems.append(f"console: {message.text} ({place})")


class Tabs:
    """Pool of a browser's tabs. Idle tabs are empty, without cookies or storage."""

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self._idle: list[OpenTab] = []

    def take(self, viewport: dict[str, int], **options: Any) -> OpenTab:
        """Return an empty tab. Options outside `MEDIA` always open a new tab.

        Args:
            viewport: width and height in CSS pixels.
            **options: further options of a browser context.
        """
        media = {name: options.pop(name, usual) for name, usual in MEDIA.items()}
        if self._idle and not options:
            tab = self._idle.pop()
            tab.problems.clear()
            tab.page.set_viewport_size(viewport)  # type: ignore[arg-type]
        else:
            # Pages that a tab opens keep the context's first window size, so create the context
            # with a desktop size.
            window = viewport if options else DESK
            context = self._chromium.new_context(viewport=window, **options)  # type: ignore[arg-type]
            tab = OpenTab(context.new_page(), [], plain=not options)
            tab.page.set_viewport_size(viewport)  # type: ignore[arg-type]
        tab.page.emulate_media(**media)
        return tab

    def give_back(self, tab: OpenTab, empty: str) -> None:
        """Clear a tab's page, cookies and storage for reuse, or close a tab with special options.

        Args:
            empty: address of a page of the same origin, without scripts.
        """
        context = tab.page.context
        if tab.page.is_closed():
            return
        # Leave the page before removing its routes, so that its pending requests end first.
        tab.page.goto("about:blank")
        if not tab.plain:
            context.close()
            return
        for page in context.pages:
            if page is not tab.page:
                page.close()
        context.set_offline(False)
        tab.page.unroute_all(behavior="ignoreErrors")
        tab.page.goto(empty)
        tab.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        context.clear_cookies()
        tab.page.mouse.up()
        tab.page.mouse.move(0, 0)
        self._idle.append(tab)
