"""Where the pages lie, and the server itself.

Scripts are absolute, for Streamlit resolves relative paths against the shell.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from bnviz.ui.language import carried

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "pages" / "home.py"
LESSONS = ROOT / "pages" / "lessons.py"
LAB = ROOT / "pages" / "lab.py"
MAP = ROOT / "pages" / "map.py"
CLAIMS = ROOT / "pages" / "claims.py"
ABOUT = ROOT / "pages" / "about.py"

# Under which path each page is, but for the server's own.
HOME_PATH, LESSONS_PATH, LAB_PATH, MAP_PATH, CLAIMS_PATH, ABOUT_PATH = (
    "", "lessons", "lab", "map", "claims", "about",
)  # fmt: skip


@dataclass(frozen=True)
class PageEntry:
    """One page of the app.

    Attributes:
        script: what Streamlit runs for it.
        path: its address, after what the server's own paths start with.
        live: whether it has a live view, which browsers then begin with at once.
    """

    script: Path
    path: str
    live: bool = False


# Every page by its name, in the order of the navigation. Home is the one at the root.
PAGES: dict[str, PageEntry] = {
    "home": PageEntry(HOME, HOME_PATH, live=True),
    "lessons": PageEntry(LESSONS, LESSONS_PATH, live=True),
    "lab": PageEntry(LAB, LAB_PATH, live=True),
    "map": PageEntry(MAP, MAP_PATH),
    "claims": PageEntry(CLAIMS, CLAIMS_PATH),
    "about": PageEntry(ABOUT, ABOUT_PATH),
}


def page_address(name: str, query: Mapping[str, str] | None = None) -> str:
    """Where a page is, by its name, and with what it is asked."""
    said = {**(query or {}), **carried()}
    asked = f"?{urlencode(said, safe=',')}" if said else ""
    return f"{base_path()}/{PAGES[name].path}{asked}"


def lab_address(query: Mapping[str, str]) -> str:
    """Where the lab opens with a query."""
    return page_address("lab", query)


def claims_address(place: str = "") -> str:
    """Where the claims stand, or one of their rows by its number."""
    return f"{page_address('claims')}{f'#{place}' if place else ''}"


def base_path() -> str:
    """What the server's own paths start with: "" or "/prefix"."""
    given = st.get_option("server.baseUrlPath") or ""
    return f"/{given.strip('/')}" if given.strip("/") else ""
