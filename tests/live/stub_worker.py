"""A worker that is a small program: it says over the real pipe what a test has it say.

It is there in a moment, where a real one imports for seconds. It stands in for the process that has
joined a cluster, too: one of two cores.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# It shows step 0 of every run that it is given.
SHOW = """if header["type"] == "start":
            known = {"run": header["run"], "generation": header["generation"]}
            say({"type": "frame", "step": 0, "breaks": {}, "stuck": False, "behind": False,
                 "origin": 0, "pause_at": 1000, "target": 1000, **known}, b'{"step":0}')"""
# It sends what `SAYS` holds, and answers until its stdin ends.
_PROGRAM = f"""#!{sys.executable}
import os, sys
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


def write_worker(path: Path, says: str = "", hears: str = SHOW) -> None:
    """Write such a program.

    Args:
        path: where to.
        says: lines that it runs once it is ready.
        hears: lines that it runs for each message, `header`.
    """
    path.write_text(_PROGRAM.replace("SAYS", says).replace("HEARS", hears))
    path.chmod(0o755)
