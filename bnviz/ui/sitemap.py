"""The pages of the app: their scripts, their paths, and addresses that lead to them.

The scripts' paths are absolute: Streamlit resolves relative ones against the shell.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from bnviz.ui.language import carried

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class PageEntry:
    """One page of the app.

    Attributes:
        name: of the page.
        live: whether it begins with a live view, whose modules browsers then load at once.
        listed: whether the header has it; the others are reached from a page that is there.
    """

    name: str
    live: bool = False
    listed: bool = True

    @property
    def script(self) -> Path:
        return ROOT / "pages" / f"{self.name}.py"

    @property
    def path(self) -> str:
        """The path of its address, after the server's own; home is at the root."""
        return "" if self.name == "home" else self.name


# The pages by name, in the order of the header.
PAGES = {
    page.name: page
    for page in (
        PageEntry("home", live=True), PageEntry("lessons", live=True), PageEntry("lab", live=True),
        PageEntry("map"), PageEntry("claims"), PageEntry("about"),
        PageEntry("talks", listed=False),
    )
}  # fmt: skip


def page_address(name: str, query: Mapping[str, str] | None = None) -> str:
    """The address of a page on this server, with the tab's language.

    Args:
        name: of the page, a key of `PAGES`.
        query: what the address asks of it.
    """
    parameters = {**(query or {}), **carried()}
    text = f"?{urlencode(parameters, safe=',')}" if parameters else ""
    return f"{base_path()}/{PAGES[name].path}{text}"


def lab_address(query: Mapping[str, str]) -> str:
    return page_address("lab", query)


def claims_address(place: str = "") -> str:
    """The address of the page of claims, or of one row on it, by its number."""
    return f"{page_address('claims')}{f'#{place}' if place else ''}"


def base_path() -> str:
    """The beginning of all paths of this server: "" or "/prefix"."""
    given = st.get_option("server.baseUrlPath") or ""
    return f"/{given.strip('/')}" if given.strip("/") else ""
