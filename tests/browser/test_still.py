"""The opening story in a browser: few layout shifts and few announcements."""

import itertools
import json

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious

WATCH = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
      if (!one.hadRecentInput) window.shifts.push([one.startTime, one.value]);
    }
  }).observe({ type: "layout-shift", buffered: true });
  window.spoken = [];
  const begin = () => {
    const view = document.querySelector("[data-testid=live-view]");
    const region = view?.querySelector("[role=status]");
    if (!view?.dataset.seq || !region) return requestAnimationFrame(begin);
    window.drawnAt = performance.now();
    new MutationObserver(() => window.spoken.push([performance.now(), region.textContent]))
      .observe(region, { childList: true, characterData: true, subtree: true });
  };
  begin();
}"""


def shift(page):
    """Return the cumulative layout shift since the first drawn frame."""
    worst = score = 0.0
    began = last = None
    for at, value in page.evaluate("shifts.filter(([at]) => at >= drawnAt)"):
        if began is None or at - last > 1000 or at - began > 5000:
            began, score = at, 0.0
        score, last = score + value, at
        worst = max(worst, score)
    return worst


def raise_rate(lab):
    # Use the slider, because a phone has no button that raises the rate.
    line = lab.page.get_by_role("slider", name="Learning rate", exact=True).locator("visible=true")
    line.first.focus()
    line.first.press("PageUp")


@pytest.fixture(params=[(1440, 900), (1280, 800), (390, 844)], ids=lambda window: f"{window[0]}px")
def story(request, visit, server):
    """Return the lab after it has played the opening story up to the pause at step 1,000."""
    width, height = request.param
    # Use a separate browser context, because the init script must run from the start.
    options = {"viewport": {"width": width, "height": height}, "java_script_enabled": True}
    lab = visit("/_stcore/health", **options)
    lab.page.add_init_script(f"({WATCH})()")
    lab.page.goto(f"{server.url}/lab")
    lab.until_step(25)
    raise_rate(lab)
    lab.wait("['blown_up', 'stuck'].includes(root.querySelector('[data-card=none]').dataset.state)")
    lab.wait("view.status === 'paused' && Number(view.step) >= 1000", timeout=90_000)
    lab.page.wait_for_function(
        "() => spoken.at(-1)?.[1].startsWith('Paused at step')", timeout=15_000
    )
    return lab


# This test takes a minute. `live_view/test_story.py` tests a fast version of the story.
@pytest.mark.verify
def test_nothing_moves_by_itself_and_ten_lines_tell_the_story(story):
    total = story.page.evaluate("shifts.reduce((sum, [at, by]) => sum + (at >= drawnAt) * by, 0)")
    print(f"all shifts together: {total:.4f}")
    # On a wide page, a verdict may gain a second line.
    assert shift(story.page) <= (0.02 if story.page.viewport_size["width"] < 640 else 0.06)
    spoken = story.page.evaluate("spoken")
    print(json.dumps([text for _, text in spoken], indent=1))
    assert 2 <= len(spoken) <= 10
    times = [at for at, _ in spoken]
    assert all(later - at > 4900 for at, later in itertools.pairwise(times))
    # The playback controls show the pause, and no message covers the page.
    expect(story.view.locator(".bnviz-counter")).to_contain_text("paused: 1,000 steps")
    expect(story.view.locator(".bnviz-notice")).to_have_count(0)
    # The page has one live region, so screen readers do not announce changing numbers.
    assert story.view.locator("output, [aria-live], [role=status], [role=log]").count() == 1
    assert serious(story.page) == []
