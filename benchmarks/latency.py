"""From the key press on the learning-rate slider to the frame that shows the new rate.

Ten changes at watch pace; the clock starts at the key press and stops when the live view has drawn
a frame whose step follows the change.
"""

from __future__ import annotations

import statistics

from benchmarks.app_in_chromium import app_page
from tests.browser.lab_page import VIEW

# Resolves with the milliseconds from the key press to the drawn frame that carries the new rate.
MEASURE = """
([selector, key]) => new Promise((resolve) => {
  const root = document.querySelector(selector);
  const before = root.dataset.changes;
  const slider = document.querySelector(
    '[data-testid="stSlider"] input[aria-label="Learning rate"]');
  slider.focus();
  const watch = new MutationObserver(() => {
    if (root.dataset.changes !== before) { watch.disconnect(); resolve(performance.now() - start); }
  });
  watch.observe(root, { attributes: true });
  let start = performance.now();
  const press = () => { start = performance.now(); };
  slider.addEventListener('keydown', press, { once: true, capture: true });
})
"""


def main() -> None:
    with app_page() as lab:
        lab.drawn().until_step(20)
        took = []
        for index in range(10):
            handle = lab.page.evaluate_handle(
                f"(args) => {{ window.measured = ({MEASURE})(args); }}", [VIEW, ""]
            )
            handle.dispose()
            lab.page.keyboard.press("ArrowRight" if index % 2 == 0 else "ArrowLeft")
            took.append(lab.page.evaluate("() => window.measured"))
    print(
        f"change to screen: median {statistics.median(took):.0f} ms over {len(took)} changes"
        f" (smallest {min(took):.0f}, largest {max(took):.0f}); aim 300 ms"
    )


if __name__ == "__main__":
    main()
