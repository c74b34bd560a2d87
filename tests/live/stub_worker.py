"""A worker that is a small program: it says over the real pipe what a test has it say.

It is there in a moment, where a real one imports for seconds. It stands in for the process that has
joined a cluster, too: one of two cores.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# It shows step 0 of every run that it is given.
SHOW = """if header["type"] == "start":
            known = {"run": header["run"], "generation": header["generation"]}
            say({"type": "frame", "step": 0, "breaks": {}, "stuck": False, "behind": False,
                 "origin": 0, "pause_at": 1000, "target": 1000, **known}, b'{"step":0}')"""
# It sends what `SAYS` holds, and answers until its stdin ends.
# Python's own path may hold spaces, which the first line of a program may not: `sh` starts it, and
# to Python that is a text.
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


# Whatever is not a worker is what it always is.
WORKERS_ONLY = f"""if sys.argv[2] != "bnviz.live.worker":
    os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])"""


def write_worker(path: Path, says: str = "", hears: str = SHOW, first: str = "") -> None:
    """Write such a program.

    Args:
        path: where to.
        says: lines that it runs once it is ready.
        hears: lines that it runs for each message, `header`.
        first: lines that it runs before anything else.
    """
    text = _PROGRAM.replace("FIRST", first).replace("SAYS", says).replace("HEARS", hears)
    path.write_text(text, "utf-8")
    path.chmod(0o755)
