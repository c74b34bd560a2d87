"""Route `/status`: JSON for programs, and a page without scripts for people."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bnviz.host import MEGABYTE
from bnviz.live import current_hub
from bnviz.live.settings import USUAL_RUNS
from bnviz.live.web.answers import json_answer, plain_page
from bnviz.live.web.page_language import language_of
from bnviz.words.joining import in_list
from bnviz.words.texts import texts

# Style sheets: the first is shared by all pages, the second is only for this page.
STYLES = ("kit.css", "status.css")
# Names of the values under each heading, in order. Values that this server does not have are left
# out.
ROWS = {
    "now": ("host", "gpu", "runs", "runs_pinned", "viewers", "maps", "rooms", "ballots", "phones"),
    "since": (
        "runs_started", "frames", "frames_dropped", "viewers_dropped", "knob_refusals",
        "maps_opened", "map_networks", "map_stacks_under_way", "map_stacks_lost",
        "rooms_opened", "votes", "worker_deaths", "worker_hangs", "workers_replaced",
        "runs_moved", "runs_ended_by_deaths",
    ),
    "memory": ("history_bytes", "checkpoint_bytes", "map_bytes"),
    "disk": ("saved_bytes",),
    "cluster": ("cores", "times_ended", "stacks_run_again", "problem"),
}  # fmt: skip
CODE = re.compile("`([^`]+)`")
# Values of "saving" without a problem.
QUIET = ("on", "off")
# Names of the columns in the table of workers.
COLUMNS = ("number", "state", "runs", "busy", "longest", "age")


# Field that is sent only to requests with the status token.
PROCESS_ID = "pid"


async def status(request: Request) -> Response:
    """Return the server's status, as a page for browsers and as JSON for programs."""
    hub = current_hub()
    facts = {**hub.viewers.status(), **hub.maps.status(), **hub.classrooms.status()}
    facts |= hub.saver.status()
    # An empty status token would match an empty one in the request, so it grants nothing.
    wanted = f"Bearer {hub.settings.status_token}".encode()
    given = request.headers.get("authorization", "").encode("latin-1")
    if not (hub.settings.status_token and hmac.compare_digest(given, wanted)):
        facts = without_process_ids(facts)
    if "as" not in request.query_params and wants_page(request.headers.get("accept", "")):
        page = HTMLResponse(status_page(facts, language_of(request.scope)))
        page.headers.update({"Cache-Control": "no-store", "Vary": "Accept, Accept-Language"})
        return page
    answer = json_answer(orjson.dumps(facts))
    answer.headers["Vary"] = "Accept"
    return answer


def without_process_ids(facts: Any) -> Any:
    """Return the status without process ids, at any depth."""
    if isinstance(facts, Mapping):
        kept = {name: value for name, value in facts.items() if name != PROCESS_ID}
        return {name: without_process_ids(value) for name, value in kept.items()}
    return [*map(without_process_ids, facts)] if isinstance(facts, list) else facts


def wants_page(accept: str) -> bool:
    """Return whether an `Accept` header lists HTML before any JSON. `*/*` counts as neither."""
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    named = [kind for kind in kinds if kind in ("text/html", "application/json")]
    return named[:1] == ["text/html"]


def status_page(facts: Mapping[str, Any], language: str) -> str:
    words = texts("status", language)
    workers = facts["workers"]
    ready = sum(worker["ready"] for worker in workers)
    at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    up = words["up"].format(time=duration(facts["uptime_seconds"], words), at=at)
    parts = [_verdict(ready, len(workers), words), f"<p>{escape(up)}</p>"]
    host = facts.get("host") or {}
    if host.get("workers_limited_by") == "memory" or host.get("places", USUAL_RUNS) < USUAL_RUNS:
        parts.append(f"<p>{escape(words['small_host'].format(**host))}</p>")
    if saving := facts.get("saving"):
        for key in [saving, "damaged"] if facts["saved_state_was_damaged"] else [saving]:
            sentence = CODE.sub(r"<code>\1</code>", escape(words["saving"][key]))
            strong = f'<p class="bad"><strong>{sentence}</strong></p>'
            parts.append(f"<p>{sentence}</p>" if key in QUIET else strong)
    for heading, names in ROWS.items():
        given = facts.get("map_cluster") or {} if heading == "cluster" else facts
        rows = [(words["row"][name], _value(name, given[name], words))
                for name in names if given.get(name) is not None]  # fmt: skip
        if rows:
            parts += [f"<h2>{escape(words['heading'][heading])}</h2>", _table(rows)]
        if heading == "now" and workers:
            parts += [f"<h2>{escape(words['heading']['workers'])}</h2>", _workers(workers, words)]
    title = escape(words["title"])
    body = (
        f"<main><h1>{title}</h1>{''.join(parts)}"
        f'<p><a href="?as=json">{escape(words["program"])}</a></p></main>'
    )
    return plain_page(language, words["title"], STYLES, body)


def _verdict(ready: int, count: int, words: Mapping[str, Any]) -> str:
    if not ready:
        return f'<p class="bad"><strong>{escape(words["none_ready"])}</strong></p>'
    key = ("one_ready" if count == 1 else "all_ready") if ready == count else "some_ready"
    return f"<p><strong>{escape(words[key].format(ready=ready, count=count))}</strong></p>"


def duration(seconds: float, words: Mapping[str, Any]) -> str:
    whole, forms = int(seconds), words["time"]
    if whole < 60:
        return str(forms["seconds"].format(count=whole))
    if whole < 3600:
        return str(forms["minutes"].format(count=whole // 60))
    if whole < 86_400:
        return str(forms["hours"].format(hours=whole // 3600, minutes=whole % 3600 // 60))
    return str(forms["days"].format(days=whole // 86_400, hours=whole % 86_400 // 3600))


def _host(host: Mapping[str, Any], words: Mapping[str, Any]) -> str:
    forms, known = words["host"], host["bytes"] is not None
    cores = forms["cores_one" if host["cores"] == 1 else "cores"].format(count=host["cores"])
    size = [words["megabytes"].format(size=f"{host['bytes'] / MEGABYTE:,.0f}")] if known else []
    return str(forms["room"].format(host=in_list([cores, *size]), places=host["places"]))


def _value(name: str, value: Any, words: Mapping[str, Any]) -> str:
    if name == "host":
        return _host(value, words)
    if isinstance(value, Mapping):
        statuses = words["run"]
        counted = (
            words["of_status"].format(count=count, status=statuses.get(status, status))
            for status, count in value.items()
        )
        return in_list(counted) or str(words["none"])
    if name.endswith("_bytes"):
        return str(words["megabytes"].format(size=f"{value / MEGABYTE:,.1f}"))
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _workers(workers: Iterable[Mapping[str, Any]], words: Mapping[str, Any]) -> str:
    rows = []
    for worker in workers:
        share = worker["busy_seconds"] / max(worker["age_seconds"], 0.1)
        longest = (worker["slices"] or {}).get("longest_seconds")
        rows.append((
            str(worker["number"]), words["state"]["ready" if worker["ready"] else "starting"],
            str(worker["runs"]), words["share"].format(share=f"{min(1, share):.0%}".rstrip("%")),
            words["none"] if longest is None
            else words["milliseconds"].format(time=f"{1000 * longest:,.0f}"),
            duration(worker["age_seconds"], words),
        ))  # fmt: skip
    return _table(rows, [words["column"][name] for name in COLUMNS])


def _table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    """Return an HTML table. The first cell of each row is its name; `heads` are the headings."""
    labels = [f' data-label="{escape(head)}"' for head in heads] or ["", ""]
    body = ""
    for name, *cells in rows:
        body += f'<tr><th scope="row"{labels[0]}>{escape(name)}</th>'
        for label, cell in zip(labels[1:], cells, strict=True):
            body += f"<td{label}>{escape(cell)}</td>"
        body += "</tr>"
    if not heads:
        return f"<table><tbody>{body}</tbody></table>"
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    return f'<table class="wide"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
