"""Collecting reports: the page reads each file's data block, and names files without one."""

import json

import pytest
from playwright.sync_api import expect

from bnviz.live.contract import LONGEST_REPORT, MOST_HANDED_IN
from bnviz.words.texts import texts
from tests.browser.accessible import serious
from tests.browser.widgets.conftest import taking

WORDS = texts("collect")
DATA = {
    "base": "", "version": "v1", "module": "collect.js", "longest_links": 1000,
    "texts": json.loads(json.dumps(WORDS, default=dict)),
}  # fmt: skip
BLOCK = '{"bnviz":"report","version":1,"who":"\\u003cb>"}'
PAGE = f'<p>x</p><script type="application/json" id="bnviz-report">{BLOCK}</script></html>'
MARKDOWN = f'# x\n\n> ```json\n> {{"bnviz":"report","no":1}}\n> ```\n\n```json\n{BLOCK}\n```\n'


@pytest.fixture(scope="module")
def page(pages):
    with taking(pages) as take:
        found = take(900, 900)
        found.evaluate("(data) => window.mountWidget('collect.js', data)", DATA)
        yield found


def drop(page, *files):
    page.locator(".collect-zone input").set_input_files(
        [{"name": name, "mimeType": "text/html", "buffer": text.encode()} for name, text in files]
    )


def test_a_file_gives_its_block_and_one_that_is_none_is_told(page):
    drop(page, ("a.html", PAGE), ("b.md", MARKDOWN), ("c.html", "<script>alert(1)</script>"),
         ("d.md", f'```json\n{{"bnviz":"report",{" " * LONGEST_REPORT}}}\n```\n'))  # fmt: skip
    problems = page.locator(".collect-problems li")
    expect(problems).to_have_count(2)
    expect(problems.first).to_contain_text("c.html was left out: `report` is “<script>alert(1)</sc")
    expect(page.locator(".collect-zone")).to_contain_text(WORDS["given"].format(count=2))
    page.locator("#collect-links").fill("/lab?depth=2")
    page.get_by_role("button", name=WORDS["show"]).click()
    page.wait_for_function("window.states.length > 0")
    assert page.evaluate("window.states.at(-1)") == {
        "links": "/lab?depth=2",
        "files": [{"name": name, "text": BLOCK} for name in ("a.html", "b.md")],
    }
    assert serious(page) == []
    page.get_by_role("button", name=WORDS["forget"]).click()
    expect(page.locator(".collect-zone")).not_to_contain_text(WORDS["given"].format(count=2))


def test_more_files_than_a_class_has_are_left_out(page):
    drop(page, *((f"{n}.html", PAGE) for n in range(MOST_HANDED_IN + 1)))
    expect(page.locator(".collect-zone")).to_contain_text(
        WORDS["given"].format(count=MOST_HANDED_IN)
    )
    expect(page.locator(".collect-problems")).to_contain_text(str(MOST_HANDED_IN + 1))
