"""Text from a link is never rendered as markup on the opened page."""

import re

import pytest
from google.protobuf.json_format import MessageToDict

from bnviz.config import KNOBS
from bnviz.lessons import LESSONS
from bnviz.sweeps.setting import OWN
from bnviz.ui.home import REPLAY
from bnviz.ui.lessons.query import restart_knobs
from bnviz.ui.query_schema import EVERY_PAGE, LAB_SCHEMA, lesson_schema, map_schema
from bnviz.ui.sitemap import PAGES
from tests.conftest import ROOT

# Text with a picture, a link, HTML and code. Error sentences quote at least as many characters of a
# value.
MARKUP = "![](//e.ex/p)[in](//e.ex)<b>`x`"
# Patterns that a browser would render: HTML, or a picture or link in a Markdown element.
HTML = re.compile("<b>`x`")
MARKDOWN = re.compile(r"(?<!\\)\[(?:in)?\]\(//e\.ex|<b>`x`")
# Maximum number of wrong values that a page reports.
AT_ONCE = 5


def names_of(page):
    """Return the parameters of a page by lesson, with the key None outside lessons."""
    own = {
        "home": [REPLAY], "about": [], "talks": [], "claims": [],
        "lab": [*LAB_SCHEMA, *KNOBS],
        "map": [*OWN, *map_schema(), *KNOBS],
    }  # fmt: skip
    if page != "lessons":
        return {None: [*own[page], *EVERY_PAGE]}
    by_lesson = {
        name: [*lesson_schema(entry.lesson), *(restart_knobs(entry.lesson) if entry.lesson else ())]
        for name, entry in LESSONS.items()
    }
    return {None: ["lesson", *EVERY_PAGE], **by_lesson}


def addresses(page):
    """Yield queries with the markup as the value of each parameter and as a name."""
    for lesson, names in names_of(page).items():
        opened = {} if lesson is None else {"lesson": lesson}
        names = [MARKUP, *names]
        for at in range(0, len(names), AT_ONCE):
            yield {**opened, **dict.fromkeys(names[at : at + AT_ONCE], MARKUP)}


def rendered(page):
    """Return texts that a browser would show as markup. Our own components never render markup."""
    return [
        text for node in (*page.main, *page.sidebar)
        if node.type != "bidi_component" and node.proto is not None
        for text in texts_in(MessageToDict(node.proto))
        if (HTML if node.type == "html" else MARKDOWN).search(text)
    ]  # fmt: skip


def texts_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for part in value for text in texts_in(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.usefixtures("one_chart")
@pytest.mark.parametrize("name", PAGES)
def test_no_parameter_of_an_address_is_markup(open_page, name):
    wrong = {}
    for query in addresses(name):
        page = open_page(PAGES[name].script, None, **query)
        wrong |= {text: query for text in rendered(page)}
    assert wrong == {}


def test_no_sentence_with_values_is_drawn_by_streamlit_as_markdown():
    """`bnviz.ui.html.answer` shows such sentences as plain text."""
    boxes = re.compile(r"\bst\.(?:error|info|success|toast|warning|write)\(")
    scripts = (*(ROOT / "bnviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"))
    assert [path.name for path in scripts if boxes.search(path.read_text("utf-8"))] == []
