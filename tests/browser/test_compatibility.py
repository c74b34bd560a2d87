"""Files and settings stored by older versions, read by the current scripts in a browser."""

from __future__ import annotations

import json

from playwright.sync_api import Browser, expect

from tests.browser.widgets.conftest import ORIGIN, Pages, taking
from tests.compatibility.surface import FOLDER

SAMPLES = FOLDER / "samples"
READ = """async ([page, markdown, progress]) => {
  const { reportBlock } = await import("/assets/v1/lessons/report_files.js");
  const { addFile, progressFile } = await import("/assets/v1/lessons/progress.js");
  const count = addFile(progress);
  return { blocks: [page, markdown].map(reportBlock), count, again: progressFile(),
    kept: Object.keys(localStorage).sort() };
}"""


def test_reports_and_the_progress_of_a_course_are_found_in_their_files(chromium: Browser):
    files = [(SAMPLES / name).read_text("utf-8") for name in
             ("report.html", "report.md", "progress.json")]  # fmt: skip
    with taking(Pages(chromium)) as take:
        page = take(400, 300)
        page.goto(ORIGIN + "/")
        found = page.evaluate(READ, files)
    links = [json.loads(block)["link"] for block in found["blocks"]]
    assert [link.partition("?")[0] for link in links] == [
        "https://some.school/x/lab", "https://some.school/x/lessons",
    ]  # fmt: skip
    assert found["count"] == {"both": 0, "left": 0}
    assert found["again"] == files[2]
    assert found["kept"] == ["bnviz-lessons", "bnviz-looked", "bnviz-own-words"]


def test_a_link_that_holds_a_talk_opens_it(visit):
    link = (SAMPLES / "talk_link.txt").read_text("utf-8").strip()
    assert "-" in link
    page = visit(f"/talks#talk={link}").page
    expect(page.get_by_role("heading", name="Every field")).to_be_visible()
