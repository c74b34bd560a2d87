"""Functions that read the contents of a lesson's page in Streamlit's own test harness."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

from tests.ui.handed_over import components, said


def captions(page):
    return " ".join(each.value for each in page.caption)


def view(page):
    """Return the data sent to the live view."""
    (data,) = [data for data in components(page) if "block" in data]
    return data


def widget(page, module):
    """Return the data sent to a widget."""
    (data,) = [data for data in components(page) if data.get("module") == f"widgets/{module}.js"]
    return data


def address(page):
    return {name: page.query_params[name] for name in page.query_params}


def links(page):
    """Return the query of each link, by its label."""
    found = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', said(page), re.DOTALL)
    return {unescape(label): dict(parse_qsl(urlsplit(unescape(href)).query))
            for href, label in found}  # fmt: skip
