"""Measure how long pages take to open in Chromium on this machine.

The first drawn frame of the lab and the first moving frame of the home page are compared with the
text of a one-line Streamlit page. The pages are opened alternately, each in a new tab of a browser
with a warm cache. Then the lab is opened while four other runs are being watched, and in each
language, compared with English. Finally, the benchmark lists the events that the browser waits for,
in order of time.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from playwright.sync_api import BrowserContext, sync_playwright
from websockets.sync.client import ClientConnection, connect

from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.words.texts import ENGLISH, languages
from tests.browser.conftest import ARGUMENTS, CHROMIUM, free_port, wait_until_healthy

ROOT = Path(__file__).parents[1]
OPENINGS, WARM_UPS, WATCHED = 12, 3, 4
AIM_HOME, AIM_ALONE, AIM_BESIDE, AIM_TASK = 2.3, 3.5, 5.0, 300
# Names of events, and JavaScript conditions that are true once a page has opened. The lab has
# opened when its networks are drawn and the sidebar with its knobs is there.
MOVING, DRAWN = "the first moving frame", "the first drawn frame"
HOME = f"'{MOVING}' in opening.seen"
LAB = "'the first drawn frame' in opening.seen && 'the sidebar is drawn' in opening.seen"
BARE = "document.querySelector(\"[data-testid='stMarkdown'] p\")"

# Init script that records when things happen, in ms since the navigation started.
NOTE = """
(() => {
  if (window !== window.top) return;
  const seen = {}, tasks = [];
  window.opening = { seen, tasks, told: 0 };
  const note = (name) => { seen[name] ??= performance.now(); };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) tasks.push([startTime, duration]);
  }).observe({ type: "longtask", buffered: true });
  const marks = {
    "the bare page's text": "[data-testid='stMarkdown'] p",
    "the sidebar is drawn": "[data-testid='stSidebar'] [data-testid='stExpander']",
    "the live view is mounted": "[data-testid='live-view']",
    "the first figure": ".bnviz .js-plotly-plot .main-svg",
    "the first drawn frame": "[data-testid='live-view'][data-seq]",
    "the first moving frame": "[data-testid='live-view'][data-step]:not([data-step='0'])",
  };
  new MutationObserver(() => {
    for (const [name, selector] of Object.entries(marks)) {
      if (!(name in seen) && document.querySelector(selector)) note(name);
    }
  }).observe(document, {
    childList: true, subtree: true, attributes: true, attributeFilter: ["data-seq", "data-step"],
  });
  addEventListener("load", ({ target }) => {
    if (target.src?.includes("/plotly/")) note("Plotly has run");
  }, true);
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(url, ...rest) {
      super(url, ...rest);
      const streamlit = String(url).includes("_stcore");
      const name = streamlit ? "Streamlit's socket" : "the run's socket";
      note(`${name} is requested`);
      this.addEventListener("open", () => note(`${name} is open`));
      this.addEventListener("message", ({ data }) => {
        if (streamlit) window.opening.told += data.byteLength ?? data.size ?? 0;
        if (streamlit) note("the first message of the script");
        else note(data.includes('"type":"frame"') ? "the run's first frame" : "the run's hello");
      });
    }
  };
})()
"""

READ = """
() => {
  const { seen, tasks, told } = window.opening;
  const at = (name, part) => {
    const all = performance.getEntriesByType("resource");
    const found = all.filter(({ name: url }) => url.includes(part));
    if (found.length) seen[name] ??= Math.max(...found.map(({ responseEnd }) => responseEnd));
  };
  seen["the page's HTML"] = performance.getEntriesByType("navigation")[0].responseEnd;
  at("Streamlit's first module", "/static/js/index.");
  at("our modules", "/live/view.js");
  at("the templates", "/templates/");
  at("Streamlit's component", "/BidiComponent.");
  at("Plotly is loaded", "/plotly/");
  const bytes = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, told);
  return { seen, tasks, bytes };
}
"""


@contextlib.contextmanager
def served(script: str) -> Iterator[str]:
    """Serve a Streamlit script with the project's settings, and yield its address."""
    port = free_port()
    command = [
        sys.executable, "-m", "streamlit", "run", str(ROOT / "benchmarks" / script),
        f"--server.port={port}", "--server.address=127.0.0.1",
    ]  # fmt: skip
    # Raise the limit on run starts, because one browser opens all these pages within a minute or
    # two.
    limits = {"BNVIZ_STARTS_PER_MINUTE": "1000", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **limits},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


@contextlib.contextmanager
def browser() -> Iterator[BrowserContext]:
    """Start a browser with a disk cache, like a person's browser."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            folder, executable_path=CHROMIUM, args=ARGUMENTS,
            viewport={"width": 1440, "height": 1000},
        )  # fmt: skip
        context.set_default_timeout(60_000)
        context.add_init_script(NOTE)
        yield context
        context.close()


def opened(context: BrowserContext, address: str, stands: str) -> dict[str, Any]:
    """Open a page in a new tab, wait until `stands` is true, and return the recorded times."""
    page = context.new_page()
    page.goto(address, wait_until="commit")
    page.wait_for_function(f"() => {stands}")
    noted: dict[str, Any] = page.evaluate(READ)
    page.close()
    return noted


class Watchers:
    """Simulated viewers of runs at the pace `watch`. They acknowledge each frame at once."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._left = threading.Event()
        self._threads = [threading.Thread(target=self._watch) for _ in range(WATCHED)]

    def __enter__(self) -> None:
        for thread in self._threads:
            thread.start()

    def __exit__(self, *_exception: object) -> None:
        self._left.set()
        for thread in self._threads:
            thread.join()

    def _watch(self) -> None:
        """Repeatedly start a run, and watch it until it pauses by itself."""
        while not self._left.is_set():
            request = urllib.request.Request(f"{self._address}/start", method="POST")
            with urllib.request.urlopen(request) as answer:
                run = answer.read().decode()
            socket = f"{self._address.replace('http', 'ws')}/live/{run}?v={WIRE_VERSION}"
            with connect(socket, origin=self._address, max_size=None) as connection:  # type: ignore[arg-type]
                self._follow(connection)

    def _follow(self, connection: ClientConnection) -> None:
        while not self._left.is_set():
            message = orjson.loads(connection.recv())
            if message["type"] == "frame":
                connection.send(orjson.dumps({"type": "ack", "seq": message["seq"]}).decode())
            if message.get("status") == "paused" and message.get("reason") == "watch":
                return


def compare(
    context: BrowserContext, address: str, bare: str, aim: float, *, name: str = "the lab",
    stands: str = LAB, mark: str = DRAWN,
) -> list[dict[str, Any]]:  # fmt: skip
    """Open a page and the page `bare` alternately, and print the times.

    Args:
        aim: target for the ratio of the page's time to the bare page's time.
        stands: JavaScript condition that holds when the page has opened.
        mark: name of the event that is timed.

    Returns:
        The recorded times of each opening of the page.
    """
    pairs = []
    for turn in range(WARM_UPS + OPENINGS):
        pair = opened(context, address, stands), opened(context, bare, BARE)
        if turn >= WARM_UPS:
            pairs.append(pair)
    of_page = [noted["seen"][mark] for noted, _ in pairs]
    of_bare = [noted["seen"]["the bare page's text"] for _, noted in pairs]
    longest = [max((took for _, took in noted["tasks"]), default=0) for noted, _ in pairs]
    ratio = statistics.median(of_page) / statistics.median(of_bare)
    print(f"    {name} ÷ bare Streamlit page: {ratio:.2f}  (wanted: {aim:g} or less)")
    print(f"    {mark}:        {_spread(of_page)}")
    print(f"    text of a bare Streamlit page: {_spread(of_bare)}")
    print(f"    longest task:                  {_spread(longest)}  (wanted: {AIM_TASK} or less)")
    return [noted for noted, _ in pairs]


def _spread(times: list[float]) -> str:
    """Format the median and the range of opening times in ms."""
    middle, count = statistics.median(times), len(times)
    return f"median {middle:5.0f} ms, {min(times):.0f} to {max(times):.0f} of {count} openings"


def in_order(openings: list[dict[str, Any]]) -> None:
    """Print the median time of each event that the browser waits for, earliest first."""
    names = {name for noted in openings for name in noted["seen"]} - {"the bare page's text"}
    times = {
        name: statistics.median([n["seen"][name] for n in openings if name in n["seen"]])
        for name in names
    }
    print("    events that the browser waits for, ms after navigation (medians):")
    for name, at in sorted(times.items(), key=lambda item: item[1]):
        print(f"      {at:6.0f}  {name}")
    tasks = [task for noted in openings for task in noted["tasks"]]
    tasks.sort(key=lambda task: -task[1])
    worst = ", ".join(f"{took:.0f} at {start:.0f}" for start, took in tasks[:6])
    print(f"      longest tasks: {worst}; {len(tasks) / len(openings):.1f} over 50 ms per page")


def in_each_language(context: BrowserContext, lab: str) -> None:
    """Open the lab in each language in turn, and print times and bytes relative to English."""
    openings: dict[str, list[dict[str, Any]]] = {code: [] for code in languages()}
    for turn in range(WARM_UPS + OPENINGS):
        for code, noted in openings.items():
            one = opened(context, f"{lab}/lab?lang={code}", LAB)
            if turn >= WARM_UPS:
                noted.append(one)
    times = {
        code: statistics.median(one["seen"][DRAWN] for one in noted)
        for code, noted in openings.items()
    }
    sizes = {
        code: statistics.median(one["bytes"] for one in noted) for code, noted in openings.items()
    }
    for code in openings:
        time, size = times[code] / times[ENGLISH], sizes[code] / sizes[ENGLISH]
        print(f"    {code} ÷ {ENGLISH}: {DRAWN} {time:.2f}, bytes with messages {size:.3f}")


def main() -> None:
    with served("opening_app.py") as lab, served("bare_page.py") as bare, browser() as context:
        print("opening the home page in a new tab, cache warm:", flush=True)
        in_order(compare(
            context, f"{lab}/", bare, AIM_HOME, name="home", stands=HOME, mark=MOVING,
        ))  # fmt: skip
        print("opening the lab in a new tab, cache warm:", flush=True)
        in_order(compare(context, f"{lab}/lab", bare, AIM_ALONE))
        print(f"opening the lab while others watch {WATCHED} runs:", flush=True)
        with Watchers(lab):
            in_order(compare(context, f"{lab}/lab", bare, AIM_BESIDE))
        print("opening the lab in each language, cache warm:", flush=True)
        in_each_language(context, lab)


if __name__ == "__main__":
    main()
