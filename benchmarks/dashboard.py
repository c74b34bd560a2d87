"""Measure frames per second of the whole dashboard while its pair of networks trains at full pace.

The live view is measured twice: with the charts that are shown when the page opens, and with every
chart open and on screen. Server, worker process and Chromium share the machine's cores.

For comparison, the same charts are drawn by `st.plotly_chart` in a `run_every` fragment, also
measured twice. First, the pair trains in a worker process of our server, so only the path from the
frames to the screen differs. Then the pair trains in a thread, and the page is a plain Streamlit
app with its own settings.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.app_in_chromium import chromium_page
from bnviz.charts import CHARTS
from bnviz.charts.chart import chart_texts
from tests.browser.conftest import Server, free_port, wait_until_healthy
from tests.browser.lab_page import VIEW, LabPage

ROUNDS, SECONDS = 5, 4
# Page height in pixels at which every chart is on screen. The live view does not draw charts that
# are off screen.
HEIGHT = 4500
PLOTS = ".js-plotly-plot"
WORDS = chart_texts()
MORE = [
    WORDS["entries"][name]["label"]
    for name, entry in CHARTS.items()
    if entry.group == "more" and not entry.plane_only
]

COUNT_FRAMES = """
([selector, seconds]) => new Promise((resolve) => {
  const root = document.querySelector(selector);
  let frames = 0;
  const watch = new MutationObserver(() => { frames += 1; });
  watch.observe(root, { attributes: true, attributeFilter: ['data-seq'] });
  const first = Number(root.dataset.step), start = performance.now();
  setTimeout(() => {
    watch.disconnect();
    const took = (performance.now() - start) / 1000;
    resolve([frames / took, (Number(root.dataset.step) - first) / took]);
  }, seconds * 1000);
})
"""

# JavaScript that counts one redraw each time a plot on the page shows a new step.
COUNT_REDRAWS = """
([charts, seconds]) => new Promise((resolve) => {
  const seen = new Map();
  const newest = () => Math.max(...[...document.querySelectorAll('.js-plotly-plot')]
    .map((plot) => plot.layout?.meta?.step ?? 0));
  let redraws = 0;
  const first = newest(), start = performance.now();
  const look = () => {
    document.querySelectorAll('.js-plotly-plot').forEach((plot, index) => {
      const step = plot.layout?.meta?.step;
      if (step !== undefined && seen.get(index) !== step && plot.querySelector('.trace')) {
        seen.set(index, step);
        redraws += 1;
      }
    });
    const took = (performance.now() - start) / 1000;
    if (took < seconds) requestAnimationFrame(look);
    else resolve([redraws / charts / took, (newest() - first) / took]);
  };
  look();
})
"""


def live_view(everything: bool) -> float:
    """Return the median frames per second of the live view. Each frame redraws all charts."""
    server = Server()
    try:
        with chromium_page(HEIGHT if everything else 1000) as page:
            page.goto(f"{server.url}/lab")
            lab = LabPage(page, []).drawn()
            lab.pace("full")
            if everything:
                for name in MORE:
                    lab.button(name).click()
                page.wait_for_function(
                    f"() => document.querySelectorAll('{PLOTS}').length >= {len(MORE)}"
                )
            lab.until_step(lab.step + 200)
            charts = page.locator(PLOTS).count()
            rounds = [page.evaluate(COUNT_FRAMES, [VIEW, SECONDS]) for _ in range(ROUNDS)]
    finally:
        server.stop()
    return _report("live view", charts, rounds)


def plotly_chart(everything: bool, train: str) -> float:
    """Measure `st.plotly_chart`, and return the median redraws per second of a chart.

    Args:
        everything: draw every chart, not just the charts of the opened page.
        train: where the pair trains, "worker" or "thread".
    """
    port = free_port()
    root = Path(__file__).parents[1]
    script = root / "benchmarks" / f"plotly_chart_{'app' if train == 'worker' else 'script'}.py"
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port),
               "--server.headless", "true", "--browser.gatherUsageStats", "false"]  # fmt: skip
    # No viewer is connected to this run. The long grace period keeps it from pausing.
    environment = {**os.environ, "PYTHONPATH": str(root), "BNVIZ_GRACE_SECONDS": "3600"}
    environment |= {"EVERY_CHART": "1" if everything else "", "TRAIN": train}
    # Streamlit reads its settings from the folder it runs in.
    folder = root if train == "worker" else root / "benchmarks"
    process = subprocess.Popen(
        command, cwd=folder, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}", process)
        with chromium_page(HEIGHT if everything else 1000) as page:
            page.goto(f"http://127.0.0.1:{port}")
            charts = 2 + (len(MORE) if everything else 0)
            page.wait_for_function(f"() => document.querySelectorAll('{PLOTS} .trace').length > 0")
            rounds = [page.evaluate(COUNT_REDRAWS, [charts, 2 * SECONDS]) for _ in range(ROUNDS)]
    finally:
        process.terminate()
        process.wait(20)
    return _report(f"st.plotly_chart, {train}", charts, rounds)


def _report(name: str, charts: int, rounds: list[list[float]]) -> float:
    """Print median frames and steps per second, and return the frames per second."""
    frames, steps = (statistics.median(values) for values in zip(*rounds, strict=True))
    print(f"  {name:24} {frames:6.2f} frames/s, each with {charts} charts, {steps:4.0f} steps/s")
    return frames


def main() -> None:
    for everything in (False, True):
        print("all charts open:" if everything else "the page as it opens:", flush=True)
        drawn = live_view(everything)
        for train in ("worker", "thread"):
            redrawn = plotly_chart(everything, train)
            ratio = f"{drawn / redrawn:.1f}" if redrawn else "no redraw was measured"
            print(f"    live view ÷ st.plotly_chart, pair in a {train}: {ratio}", flush=True)
    print("targets: 10 frames/s, ratio 20")


if __name__ == "__main__":
    main()
