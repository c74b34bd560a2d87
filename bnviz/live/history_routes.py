"""A run's past over HTTP: one frame, the index, columns, files to take away."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from bnviz.live import current_hub, messages
from bnviz.live.answers import answering, json_answer
from bnviz.live.browser import BadMessage
from bnviz.live.errors import NoSuchRun
from bnviz.live.export import csv_lines, json_parts
from bnviz.live.series import MOST_FIELDS, columns, read_field

MAX_SEQ = 2**53


def history_routes(base: str) -> list[Route]:
    """`/history`, `/series`, `/export`."""
    return [
        Route(f"{base}/history/{{run}}", answering(index)),
        Route(f"{base}/history/{{run}}/{{seq}}", answering(frame)),
        Route(f"{base}/series/{{run}}", answering(series)),
        Route(f"{base}/export/{{run}}.{{kind}}", answering(export)),
    ]


async def index(request: Request) -> Response:
    """Numbers and steps of all kept frames."""
    told = current_hub().gallery.index(request.path_params["run"])
    return json_answer(messages.text(told))


async def frame(request: Request) -> Response:
    """The kept frame nearest to a number."""
    seq = request.path_params["seq"]
    if not seq.isascii() or not seq.isdigit() or len(seq) > 16 or int(seq) > MAX_SEQ:
        raise BadMessage("seq", seq, f"a whole number between 0 and {MAX_SEQ}")
    found = current_hub().gallery.frame(request.path_params["run"], int(seq))
    if found is None:
        return json_answer(messages.text(messages.notice("no_frames")), 404)
    return json_answer(found)


async def series(request: Request) -> Response:
    """Columns over the kept frames."""
    asked = request.query_params.getlist("field")
    if len(asked) > MOST_FIELDS:
        raise BadMessage("field", f"{len(asked)} fields", f"given at most {MOST_FIELDS} times")
    fields = [read_field(text) for text in asked]
    kept = current_hub().gallery.kept(request.path_params["run"])
    return json_answer(await run_in_threadpool(columns, kept, fields))


async def export(request: Request) -> Response:
    """All that is kept of a run, as a file."""
    run, kind = request.path_params["run"], request.path_params["kind"]
    if kind not in ("csv", "json"):
        raise BadMessage("file", kind, "csv or json")
    hub = current_hub()
    info, kept = hub.info(run), hub.gallery.kept(run)
    if info is None:
        raise NoSuchRun
    parts = csv_lines(kept) if kind == "csv" else json_parts(
        info.initial_config, info.changes, kept
    )  # fmt: skip
    name = f"bnviz-{info.initial_config.dataset}-{run[:8]}.{kind}"
    media = {"csv": "text/csv", "json": "application/json"}[kind]
    return StreamingResponse(
        parts, media_type=media,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )  # fmt: skip
