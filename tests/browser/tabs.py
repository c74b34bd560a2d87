"""Tabs that are used again: a new one costs seconds of work, another visit in it a fraction."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page

# What a tab can be told to prefer at any time, and what each of ours prefers until it is told.
MEDIA = {"media": "screen", "color_scheme": "light", "reduced_motion": "no-preference"}
DESK = {"width": 1440, "height": 1000}


class OpenTab:
    """A tab of a visitor's own browser.

    Attributes:
        problems: errors in its console and uncaught exceptions of its pages, since it was taken.
        plain: it differs from the others in nothing but what it shows.
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
    """All tabs of a browser. Those that are not in use stand empty, without cookies or memory."""

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self._idle: list[OpenTab] = []

    def take(self, viewport: dict[str, int], **options: Any) -> OpenTab:
        """A visitor's empty tab; one with options other than those of `MEDIA` is always a new one.

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
            # What opens beside the tab is as wide as its visitor's window was at first: a desk's.
            window = viewport if options else DESK
            context = self._chromium.new_context(viewport=window, **options)  # type: ignore[arg-type]
            tab = OpenTab(context.new_page(), [], plain=not options)
            tab.page.set_viewport_size(viewport)  # type: ignore[arg-type]
        tab.page.emulate_media(**media)
        return tab

    def give_back(self, tab: OpenTab, empty: str) -> None:
        """Leave the page and forget the visit.

        Args:
            tab: what `take` gave.
            empty: the address of a page of the same origin, without scripts.
        """
        context = tab.page.context
        if tab.page.is_closed():
            return
        # What the page asks for ends with it, before its routes are taken away.
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
