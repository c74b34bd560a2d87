"""Every lesson in the pseudo-language: its script sends no English text to the browser."""

import html
import re

import pytest

import bnviz.words.texts
from bnviz.lessons import LESSONS
from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import texts
from tests.made_up_language import CODE, write_language

# Parts of a page without words: tags, styles, code, formulas, addresses, icons.
NO_WORDS = re.compile(
    r"<(style|script|code)\b.*?</\1>|<[^>]*>|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|https?://\S+|:material/\w+:",
    re.DOTALL,
)
NAMES = {"bnviz"}


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    write_language(folder := tmp_path_factory.mktemp("texts"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bnviz.words.texts, "FOLDER", folder)
        yield


def said(page):
    """Yield the texts on the page and the labels of its buttons and fields."""
    for kind in ("html", "markdown", "caption", "warning", "info"):
        yield from (part.value for part in page.get(kind))
    for kind in ("button", "radio", "selectbox", "slider", "number_input", "toggle"):
        yield from (part.label for part in page.get(kind))


def opened():
    """Yield every lesson at its start, and lessons with the text *So far* also with their first
    intended break.
    """
    yield from ((name, {}) for name in LESSONS)
    for name in LESSONS:
        if "so_far" in texts(f"lessons/{name}", "en"):
            yield name, {"break": LESSONS[name].resolve().breaks[0].name}


def test_the_list_has_what_helps_to_teach_each_lesson(spoken, open_page):
    everything = " ".join(said(open_page(PAGES["lessons"].script, lang=CODE)))
    for name in LESSONS:
        if not LESSONS[name].is_page:
            assert texts(f"lessons/{name}", CODE)["teacher"]["say"] in everything


@pytest.mark.parametrize(("name", "asked"), [*opened()])
def test_every_lesson_opens_with_its_title_and_every_word_is_in_its_language(
    spoken, open_page, name, asked
):
    page = open_page(PAGES["lessons"].script, lesson=name, lang=CODE, **asked)
    own, everything = texts(f"lessons/{name}", CODE), " ".join(said(page))
    assert f"<h1>{own['title']}</h1>" in everything
    if LESSONS[name].is_page:
        assert own["short"]
    elif LESSONS[name].resolve().rule:
        assert ('class="lesson-about"' in everything) == ("about" in own)
    assert ('class="lesson-so-far"' in everything) is bool(asked)
    shown = [html.unescape(NO_WORDS.sub(" ", text)) for text in said(page)]
    assert len("".join(shown)) > 200
    left = {word for text in shown for word in re.findall(r"[A-Za-z]{4,}", text)} - NAMES
    assert left == set()
