"""Process that `serve --open` starts: opens the browser as soon as the server answers."""

import os
import sys
import time
import webbrowser
from http.client import HTTPException
from urllib.request import ProxyHandler, build_opener

# Seconds between requests to a server that does not answer yet.
PAUSE = 0.2


def open_browser(page: str) -> None:
    """Wait until the parent process serves a page, and open it. Return if the parent ends."""
    server = os.getppid()
    ask = build_opener(ProxyHandler({})).open  # a proxy cannot reach this machine's own address
    while os.getppid() == server:
        try:
            with ask(f"{page}/_stcore/health", timeout=5) as answer:
                answer.read()
        except (OSError, HTTPException):
            time.sleep(PAUSE)
        else:
            webbrowser.open(f"{page}/")
            return


def has_screen() -> bool:
    """Return whether a browser can show a window, and not only a page in this terminal."""
    if sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    if has_screen() or os.environ.get("BROWSER"):
        open_browser(sys.argv[1])
