"""Pages of the app: scripts, paths and addresses.

Script paths are absolute, because Streamlit resolves relative paths against the main script.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from bnviz.locations import locations
from bnviz.ui.language import carried


@dataclass(frozen=True)
class PageEntry:
    """Page of the app.

    Attributes:
        live: Whether the page starts with a live view, so that browsers load its modules at once.
        listed: Whether the page is in the header; listed pages link to other pages.
    """

    name: str
    live: bool = False
    listed: bool = True

    @property
    def script(self) -> Path:
        return locations().site / "pages" / f"{self.name}.py"

    @property
    def path(self) -> str:
        """Path of the page below the server's base path; the home page is at the root."""
        return "" if self.name == "home" else self.name


# Pages by name, in the order of the header.
PAGES = {
    page.name: page
    for page in (
        PageEntry("home", live=True), PageEntry("lessons", live=True), PageEntry("lab", live=True),
        PageEntry("map"), PageEntry("claims"), PageEntry("about"),
        PageEntry("talks", listed=False),
    )
}  # fmt: skip


def page_address(name: str, query: Mapping[str, str] | None = None) -> str:
    """Address of a page on this server, with the tab's language; `name` is a key of `PAGES`."""
    parameters = {**(query or {}), **carried()}
    text = f"?{urlencode(parameters, safe=',')}" if parameters else ""
    return f"{base_path()}/{PAGES[name].path}{text}"


def lab_address(query: Mapping[str, str]) -> str:
    return page_address("lab", query)


def claims_address(place: str = "") -> str:
    """Address of the claims page, or of the row with the number `place` on it."""
    return f"{page_address('claims')}{f'#{place}' if place else ''}"


def base_path() -> str:
    """Prefix of all paths of this server: "" or "/prefix"."""
    given = st.get_option("server.baseUrlPath") or ""
    return f"/{given.strip('/')}" if given.strip("/") else ""
