"""Stand-in for a worker: a small program that sends a test's messages over the real pipe.

It starts at once, while a real worker needs seconds to import its modules. It can also act as the
process that connects the hub to a cluster, with two cores.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Code that sends a frame of step 0 for every run that the worker receives.
SHOW = """if header["type"] == "start":
            known = {"run": header["run"], "generation": header["generation"]}
            say({"type": "frame", "step": 0, "breaks": {}, "stuck": False, "behind": False,
                 "origin": 0, "pause_at": 1000, "target": 1000, **known}, b'{"step":0}')"""
# Program that runs `SAYS` and then handles messages until its stdin ends. Python's path may contain
# spaces, which a shebang does not allow. So `sh` starts Python, which reads the `exec` line as a
# string.
_PROGRAM = f"""#!/bin/sh
'''exec' {shlex.quote(sys.executable)} "$0" "$@"
' '''
import os, sys
FIRST
sys.path.insert(0, {str(ROOT)!r})
from bnviz.live.protocol.wire import Unpacker, pack
def say(header, payload=b""):
    os.write(1, pack(header, payload))
say({{"type": "ready", "cluster": {{"cores": 2, "lost": 0}}}})
SAYS
unpacker = Unpacker()
while data := os.read(0, 2**16):
    for header, _ in unpacker.feed(data):
        if header["type"] == "ping":
            say({{"type": "pong", "busy": 3.0, "runs": 0, "slices": {{}}, "measurer": {{}}}})
        HEARS
"""


# Code that starts every program other than a worker in the usual way.
WORKERS_ONLY = f"""if sys.argv[2] != "bnviz.live.worker":
    os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])"""


def write_worker(path: Path, says: str = "", hears: str = SHOW, first: str = "") -> None:
    """Write a worker program.

    Args:
        says: code that runs once the worker is ready.
        hears: code that runs for each message, whose header is `header`.
        first: code that runs before anything else.
    """
    text = _PROGRAM.replace("FIRST", first).replace("SAYS", says).replace("HEARS", hears)
    path.write_text(text, "utf-8")
    path.chmod(0o755)
