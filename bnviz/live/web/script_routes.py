"""Routes `/scripts/…`: the lessons' runs as PyTorch scripts, and the digits data they load."""

from __future__ import annotations

import functools
import io

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from bnviz.data.digits import load
from bnviz.live.web.answers import to_save
from bnviz.live.web.assets import ASSETS, no_file

# Name of the scripts' data file. It contains `images`, float32 [N, 64] from 0 to 1, and `labels`,
# int64 [N], then `test_images` and `test_labels` in the same format.
DIGITS_FILE = "bnviz-digits.npz"


@functools.cache
def digits_file() -> bytes:
    raw, file = load(), io.BytesIO()
    np.savez_compressed(
        file, images=raw.train_inputs, labels=raw.train_labels, test_images=raw.test_inputs,
        test_labels=raw.test_labels,
    )  # fmt: skip
    return file.getvalue()


async def digits(_request: Request) -> Response:
    content = await run_in_threadpool(digits_file)
    return to_save(content, DIGITS_FILE, "application/octet-stream")


async def script(request: Request) -> Response:
    wanted = request.path_params["name"]
    for path in (ASSETS / "scripts").glob("*.py"):
        if path.stem == wanted:
            return to_save(path.read_bytes(), f"bnviz-{path.name}", "text/x-python; charset=utf-8")
    return no_file()
