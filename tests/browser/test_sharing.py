"""One run, many viewers: who may watch, who may control, what a refresh keeps."""

import re

from playwright.sync_api import expect

from bnviz.live.web.owner import COOKIE


def shared_link(lab):
    lab.button("Share").click()
    field = lab.page.locator("dialog input").first
    expect(field).to_have_value(re.compile(f"run={lab.run}"))
    link = field.input_value()
    lab.page.keyboard.press("Escape")
    return link.split("/", 3)[3]


def test_another_browser_watches_follows_the_owner_or_makes_a_copy_and_controls_that(visit):
    owner = visit("/lab").until_step(3)
    # Copying the address gives no control either.
    viewer = visit("/?" + owner.page.url.split("?", 1)[1]).drawn()
    assert viewer.run == owner.run
    expect(viewer.page.get_by_text("belongs to someone else").first).to_be_visible()
    expect(viewer.button("Pause")).to_be_hidden()
    expect(viewer.slider("Learning rate")).to_be_disabled()
    viewer.page.keyboard.press("Space")
    viewer.until_step(viewer.step + 5)
    assert owner.status == "running"
    viewer.page.goto(viewer.page.url.split("/lab")[0] + "/" + shared_link(owner))
    viewer.drawn()
    owner.nudge("Hidden layers", -1)
    owner.wait("view.run && view.run !== argument && Number(view.step) >= 3", viewer.run)
    viewer.wait("view.run === argument && Number(view.step) >= 3", owner.run)
    expect(viewer.button("Pause")).to_be_hidden()
    run = owner.run
    viewer.button("Make my own copy").click()
    viewer.wait("view.run && view.run !== argument", run)
    viewer.until_step(3).pause()
    assert owner.status == "running"
    assert owner.run == run


def test_a_refresh_keeps_the_run_and_its_control_and_another_tab_has_its_own(visit):
    lab = visit("/lab").until_step(10)
    run = lab.run
    lab.page.reload()
    lab.drawn()
    assert lab.run == run
    assert lab.step >= 10
    assert visit("/lab", same=lab).until_step(3).run != run
    lab.pause()


def test_the_panels_share_a_code_and_both_links_and_export_data_and_the_command(visit):
    lab = visit("/lab?depth=4").until_step(3)
    lab.button("Share").click()
    dialog = lab.page.locator("dialog[open]")
    expect(dialog.locator("img")).to_have_js_property("complete", True)
    assert dialog.locator("img").evaluate("image => image.naturalWidth") > 0
    expect(dialog.locator("input[readonly]").first).to_have_value(re.compile("run="))
    links = [field.input_value() for field in dialog.locator("input[readonly]").all()]
    assert f"run={lab.run}" in links[0]
    assert "depth=4" in links[0]
    assert "depth=4" in links[1]
    assert "run=" not in links[1]
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    lab.button("Export").click()
    expect(dialog).to_contain_text("CSV")
    with lab.page.expect_download() as download:
        dialog.get_by_role("link", name="CSV").click()
    with open(download.value.path()) as file:
        head = file.readline()
    assert "step" in head
    with lab.page.expect_download() as download:
        dialog.get_by_role("button", name=re.compile("HTML")).click()
    with open(download.value.path()) as file:
        text = file.read()
    assert "Plotly" in text
    assert 'src="http' not in text
    command = dialog.locator("input[readonly], textarea[readonly]").last.input_value()
    assert command.startswith("python -m bnviz train --set depth=4")


def test_an_invented_cookie_is_replaced_and_controls_nothing(visit, server):
    lab = visit("/lab").until_step(3)
    run = lab.run
    (cookie,) = (each for each in lab.page.context.cookies() if each["name"] == COOKIE)
    owner, _, signature = cookie["value"].partition(".")
    invented = f"{owner}.{signature[::-1]}"
    lab.page.context.add_cookies([{**cookie, "value": invented}])  # type: ignore[list-item]
    lab.page.reload()
    lab.drawn()
    assert lab.run == run
    expect(lab.button("Pause")).to_be_hidden()
    now = {each["name"]: each["value"] for each in lab.page.context.cookies()}
    assert now[COOKIE].partition(".")[0] != owner
