"""Charts saved as PNG and SVG for slides. They have large type, and name the settings and
the step.
"""

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import expect

from bnviz.charts.theme import PAPER, PRESENTATION_TYPE
from bnviz.words.texts import texts
from tests.browser.lab_page import CALM

WORDS = texts("live")
SVG = "{http://www.w3.org/2000/svg}"


def saved(page, kind):
    with page.expect_download() as download:
        page.get_by_role("button", name=WORDS["picture"][kind]).click()
    assert download.value.suggested_filename.endswith(f".{kind}")
    return Path(download.value.path()).read_bytes()


def choose(page, name):
    page.locator("dialog").get_by_label(WORDS["picture"][name], exact=True).click(force=True)
    expect(page.get_by_role("button", name=WORDS["picture"]["svg"])).to_be_enabled()


def read(content):
    """Return an SVG's size, texts, top-level text elements, and smallest font size in pixels."""
    root = ElementTree.fromstring(content)
    group = root.find(f"{SVG}g[@transform]")
    scale = float(re.search(r"scale\(([\d.]+)\)", group.get("transform"))[1])
    inner = [float(size) for size in re.findall(rb"font-size: ([\d.]+)px", content)]
    words = [" ".join(part.itertext()) for part in root.iter(f"{SVG}text")]
    own = [text for text in root.findall(f"{SVG}text")]
    return (root.get("width"), root.get("height")), words, own, min(inner) * scale


@pytest.mark.verify
def test_a_chart_is_saved_as_a_picture_for_a_slide(visit):
    lab = visit("/lab?depth=3&width=16&batch_size=16", **CALM).drawn().until_step(20).pause()
    # Pin an earlier step, because a pausing run may still send its last frame.
    line = lab.view.locator(".bnviz-timeline input")
    line.focus()
    line.press("Home")
    line.press("ArrowRight")
    lab.wait("view.time === 'pinned' && Number(view.step) > 0")
    page, step = lab.page, lab.step
    page.locator("[data-chart=loss]").get_by_role("button", name=re.compile("as a picture")).click()
    image = page.locator("dialog img")
    expect(image).to_have_attribute("src", re.compile("^blob:"))
    expect(page.get_by_role("button", name=WORDS["picture"]["svg"])).to_be_enabled()
    size, words, own, smallest = read(saved(page, "svg"))
    assert size == ("1920", "1080")
    title, *_, line = (text.text for text in own)
    assert title == texts("charts")["loss"]["title"]
    for part in ("3 × 16 tanh", "rate 0.1", "batch 16", "seed 0", f"step {step}"):
        assert part in line
    assert "without BN" in " ".join(words)
    assert smallest >= 0.8 * max(PRESENTATION_TYPE.values())
    with Image.open(io.BytesIO(saved(page, "png"))) as picture:
        assert picture.size == (1920, 1080)
        assert picture.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
    choose(page, "dark")
    choose(page, "classic")
    page.locator("dialog").get_by_label(WORDS["picture"]["titled"]).uncheck()
    expect(page.get_by_role("button", name=WORDS["picture"]["svg"])).to_be_enabled()
    content = saved(page, "svg")
    size, _, own, _ = read(content)
    assert size == ("1440", "1080")
    assert len(own) == 1, "without its title"
    assert PAPER[True].encode() in content
    assert page.locator(".bnviz-slide").count() == 0, "the element it was drawn in is removed"
    # The chart on the page has not changed.
    page.keyboard.press("Escape")
    assert lab.step == step
