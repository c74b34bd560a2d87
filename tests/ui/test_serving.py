"""The words and pictures of shared links, page by page."""

import pytest
from PIL import Image
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed

from bnviz.lessons import LESSONS
from bnviz.live.web.link_preview import HEIGHT, WIDTH
from bnviz.presets import PRESETS
from bnviz.ui.serving import preview_of
from bnviz.ui.sitemap import PAGES
from bnviz.words.texts import ENGLISH, in_language, languages, texts
from tests.conftest import ROOT
from tests.every_case import every_case

LARGEST = 150_000  # bytes


@every_case("name", PAGES)
def test_every_page_has_a_title_a_sentence_and_a_picture(name):
    preview = preview_of(PAGES[name].path, {})
    assert preview is not None
    assert "bnviz" in preview.title
    assert preview.text.endswith(".")
    assert len(preview.text) < 200
    path = ROOT / "assets" / preview.image
    assert path.stat().st_size <= LARGEST
    with Image.open(path) as image:
        assert image.size == (WIDTH, HEIGHT)
        assert len(image.convert("L").getcolors(256) or range(257)) > 16  # the picture is not blank


def test_titles_and_sentences_differ_from_page_to_page():
    previews = [preview_of(page.path, {}) for page in PAGES.values()]
    assert len({preview.title for preview in previews}) == len(PAGES)
    assert len({preview.text for preview in previews}) == len(PAGES)


@every_case("preset", PRESETS)
def test_a_preset_is_called_by_its_name(preset):
    preview = preview_of("lab", {"preset": preset, "depth": "3"})
    assert preview.query in ({}, {"preset": preset})
    assert bool(preview.query) == (preview != preview_of("lab", {}))


@every_case("lesson", LESSONS)
def test_a_lesson_is_called_by_its_question(lesson):
    preview = preview_of("lessons", {"lesson": lesson, "guess": "x"})
    assert preview.query == {"lesson": lesson}
    for said in (preview.title, preview.text):
        assert not set("{}[]$") & set(said)
    assert len(preview.text) < 200


def test_what_is_no_page_or_no_preset_is_told_nothing_of():
    assert preview_of("jacobians", {}) is None
    assert preview_of("lab", {"preset": "<b>"}) == preview_of("lab", {})


@pytest.mark.parametrize("code", [code for code in languages() if code != ENGLISH])
def test_a_link_in_another_language_is_called_in_it_and_has_its_picture(code):
    with in_language(code):
        for name, page in PAGES.items():
            preview = preview_of(page.path, {"lang": code})
            assert preview.title == texts("navigation", code)["title"][name]
            assert preview.image == f"previews/{code}/{name}.png"
            assert (ROOT / "assets" / preview.image).stat().st_size <= LARGEST
            assert preview.query["lang"] == code
    assert preview_of("lab", {}).image == "previews/lab.png"


def test_no_message_stands_for_one_that_a_browser_may_have_forgotten():
    """Messages are not cached. With a cache, a page never loaded again if the reader had left it
    while another page was loading.
    """
    config.get_config_options(force_reparse=True)  # as when started in the project's root
    message = ForwardMsg()
    message.delta.new_element.html.body = "x" * 5_000_000
    populate_hash_if_needed(message)
    assert message.hash
    assert not message.metadata.cacheable
