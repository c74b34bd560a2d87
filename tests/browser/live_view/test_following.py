"""A view that follows another view of its page, over the same connection."""

from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import ONE, PAIR
from tests.browser.live_view.test_column import BLOCK

FOLLOWS = {**BLOCK, "parts": [], "one_on_phone": False, "follows": True}
# JavaScript function that mounts a second component below the first, as a page's script does.
MOUNT = """async (block) => {
  const { default: mount } = await import(`/assets/${window.data.version}/live_view.js`);
  const place = document.body.appendChild(Object.assign(document.createElement("div"), { id: "second" }));
  const cleanup = mount({ parentElement: place, data: { ...window.data, block }, setTriggerValue() {}, setStateValue() {} });
  window.endSecond = () => { place.remove(); cleanup(); };
}"""  # noqa: E501
BOTH = """([name, value]) => {
  const views = [...document.querySelectorAll("[data-testid=live-view]")];
  return views.length === 2 && views.every((view) => view.dataset[name] === value);
}"""


def both(tab, name, value):
    """Wait until a data attribute has this value in both views."""
    tab.page.wait_for_function(BOTH, arg=[name, str(value)])


def test_it_has_no_connection_of_its_own_and_shows_the_same_step(open_tab, harness, frames):
    tab = open_tab({**page_data(PAIR, ONE), "block": BLOCK}, frames)
    tab.drawn(30)
    tab.page.evaluate(MOUNT, FOLLOWS)
    both(tab, "seq", 30)
    seq = harness.push(31, frames[30][1])
    both(tab, "seq", seq)
    harness.wait(lambda: seq in [each["seq"] for each in harness.kinds("ack")])
    assert [each["seq"] for each in harness.kinds("ack")].count(seq) == 1
    assert harness.asked["live"] == 1
    line = tab.view.first.locator(".bnviz-timeline input")
    line.focus()
    line.press("Home")
    both(tab, "step", 0)
    line.press("Escape")
    both(tab, "seq", seq)
    tab.page.evaluate("endSecond()")
    seq = harness.push(32, frames[30][1])
    tab.drawn(seq)


def test_it_may_come_first_and_shows_another_run_when_the_other_does(open_tab, harness, frames):
    data = {**page_data(PAIR, ONE), "block": FOLLOWS}
    tab = open_tab(data, frames)
    tab.wait("view.status === 'disconnected'")
    assert harness.asked["live"] == 0
    tab.page.evaluate(MOUNT, BLOCK)
    both(tab, "seq", 30)
    assert harness.asked["live"] == 1
    tab.page.evaluate("endSecond()")
    tab.wait("view.status === 'disconnected'")
