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
HOME = ROOT / "pages" / "home.py"
LESSONS = ROOT / "pages" / "lessons.py"
LAB = ROOT / "pages" / "lab.py"
MAP = ROOT / "pages" / "map.py"
CLAIMS = ROOT / "pages" / "claims.py"
ABOUT = ROOT / "pages" / "about.py"
TALKS = ROOT / "pages" / "talks.py"

# The path of each page, after the server's own.
HOME_PATH, LESSONS_PATH, LAB_PATH, MAP_PATH, CLAIMS_PATH, ABOUT_PATH, TALKS_PATH = (
    "", "lessons", "lab", "map", "claims", "about", "talks",
)  # fmt: skip


@dataclass(frozen=True)
class PageEntry:
    """One page of the app.

    Attributes:
        script: the file that Streamlit runs for it.
        path: of its address, after the server's own.
        live: whether it begins with a live view, whose modules browsers then load at once.
        listed: whether the header has it; the others are reached from a page that is there.
    """

    script: Path
    path: str
    live: bool = False
    listed: bool = True


# The pages by name, in the order of the header. Home is at the root.
PAGES: dict[str, PageEntry] = {
    "home": PageEntry(HOME, HOME_PATH, live=True),
    "lessons": PageEntry(LESSONS, LESSONS_PATH, live=True),
    "lab": PageEntry(LAB, LAB_PATH, live=True),
    "map": PageEntry(MAP, MAP_PATH),
    "claims": PageEntry(CLAIMS, CLAIMS_PATH),
    "about": PageEntry(ABOUT, ABOUT_PATH),
    "talks": PageEntry(TALKS, TALKS_PATH, listed=False),
}


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
    """The address of the lab with a query."""
    return page_address("lab", query)


def claims_address(place: str = "") -> str:
    """The address of the page of claims, or of one row on it, by its number."""
    return f"{page_address('claims')}{f'#{place}' if place else ''}"


def base_path() -> str:
    """The beginning of all paths of this server: "" or "/prefix"."""
    given = st.get_option("server.baseUrlPath") or ""
    return f"/{given.strip('/')}" if given.strip("/") else ""
