"""The pages of phones, as HTML: whole in one answer, and small."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from string import Template
from typing import Any

import orjson

from bnviz.live.classroom.classrooms import CODE_LENGTH, NEVER, Classroom
from bnviz.live.web.assets import ASSETS
from bnviz.words.texts import texts

LETTERS = "ABCD"
FOLDER = ASSETS / "classroom" / "phone"


def _squeezed(name: str) -> str:
    """A file without what only its readers need: comments of whole lines, and what is indented."""
    lines = (line.strip() for line in (FOLDER / name).read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


_PAGE = Template((FOLDER / "page.html").read_text("utf-8"))
_STYLE = _squeezed("page.css")
_SCRIPTS = {name: _squeezed(f"{name}.js") for name in ("ballot", "follow")}


def _source(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# Nothing runs, and nothing is loaded, but what stands in the page itself.
POLICY = "; ".join((
    "default-src 'none'", f"style-src {_source(_STYLE)}",
    f"script-src {' '.join(map(_source, _SCRIPTS.values()))}", "connect-src 'self'",
    "frame-src 'self'", "img-src data:", "form-action 'self'", "base-uri 'none'",
    "frame-ancestors 'self'",
))  # fmt: skip


def words(language: str) -> Mapping[str, Any]:
    """What is said on these pages."""
    return texts("ballot", language)


def ballot_page(
    room: Classroom, mine: int | None, language: str, base: str, server: str, trouble: str = ""
) -> bytes:
    """The ballot, as it is now.

    Args:
        room: the class.
        mine: what this browser answers, or None.
        language: of the page.
        base: what the server's paths start with.
        server: the name of this start of the server.
        trouble: what went wrong with what this browser sent, or "".
    """
    said, path = words(language), f"{base}/b/{room.code}"
    facts = {
        "server": server, "state": f"{path}/state?lang={language}",
        "vote": f"{path}/vote?lang={language}", "words": said["script"],
    }  # fmt: skip
    body = "".join((
        _head(said, room.code, f"{base}/w/{room.code}", said["watch"]),
        f'<p id="trouble" role="alert">{escape(trouble)}</p>',
        '<p id="news" class="unseen" aria-live="polite"></p>',
        f'<main id="main" tabindex="-1">{main(room, mine, language, base)}</main>',
        f'<p id="said" role="status">{escape(status(room, mine, language))}</p>',
        f'<noscript><p><a href="{path}">{escape(said["again"])}</a></p></noscript>',
        f"<footer><p>{escape(said['several'])}</p></footer>", _script("ballot", facts),
    ))  # fmt: skip
    return _page(language, said["title"].format(code=room.code), body)


def main(room: Classroom, mine: int | None, language: str, base: str) -> str:
    """The part of the ballot that changes."""
    said, question = words(language), room.question
    if question is None:
        waiting = said["taken_back" if room.taken_back else "waiting"]
        return f"<h1>{escape(waiting['title'])}</h1><p>{escape(waiting['text'])}</p>"
    title = f'<h1 dir="auto">{escape(question.text)}</h1>'
    if question.round > 1:
        title = f'<p class="round">{escape(said["open"]["second"])}</p>{title}'
    if question.status == "open":
        return title + _choices(room, mine, base)
    if question.status == "closed":
        return title + _given(question.answers, mine)
    return title + _tally(question.told(), mine, said["revealed"])


def status(room: Classroom, mine: int | None, language: str) -> str:
    """What is said of this browser's own answer."""
    said, question = words(language), room.question
    if question is None:
        return ""
    if question.status == "open":
        own = said["open"]
        return str(own["choose"] if mine is None else own["counted"].format(letter=LETTERS[mine]))
    closed = said["closed"]
    if question.hands:
        own = closed["hands"]
    else:
        own = closed["none"] if mine is None else closed["mine"].format(letter=LETTERS[mine])
    if question.status == "closed":
        return f"{closed['title']} {own} {closed['next']}"
    return str(own)


def code_page(language: str, base: str, trouble: str = "") -> bytes:
    """The page to type a code."""
    said = words(language)["code"]
    body = (
        f'<main class="code"><p id="trouble" role="alert">{escape(trouble)}</p>'
        f'<h1>{escape(said["title"])}</h1><form action="{base}/b" method="get">'
        f'<label for="code">{escape(said["label"])}</label>'
        f'<input id="code" name="code" required maxlength="12"'
        f' autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="h">'
        f'<p id="h">{escape(said["help"])}</p><button>{escape(said["go"])}</button></form></main>'
    )
    return _page(language, said["page"], body)


def wrong_code(language: str) -> str:
    """What a code is, to whoever typed something else."""
    return str(words(language)["code"]["wrong"].format(count=CODE_LENGTH, never=NEVER))


def follow_page(room: Classroom, place: str | None, language: str, base: str) -> bytes:
    """The page that follows the teacher's tab.

    Args:
        room: the class.
        place: what stands in its frame; None: the teacher's page has not said where it is.
        language: of the page.
        base: what the server's paths start with.
    """
    said = words(language)
    own, path = said["follow"], f"{base}/w/{room.code}"
    script = {name: said["script"][name] for name in ("lost", "over", "offline")}
    facts = {"state": f"{path}/place?lang={language}", "place": place, "words": script}
    src = f' src="{escape(place)}"' if place else ""
    asked = room.question is not None and room.question.status == "open"
    body = "".join((
        _head(said, room.code, f"{base}/b/{room.code}", said["vote"]),
        f'<main><p id="trouble" role="alert"></p>'
        f'<p id="asked" role="status"{"" if asked else " hidden"}>{escape(own["asked"])} '
        f'<a href="{base}/b/{room.code}">{escape(said["vote"])}</a></p>'
        f'<p id="waiting"{" hidden" if place else ""}>{escape(own["waiting"])}</p>'
        f'<iframe id="frame" title="{escape(own["frame"])}"{"" if place else " hidden"}'
        f"{src}></iframe></main>", _script("follow", facts),
    ))  # fmt: skip
    return _page(language, own["title"].format(code=room.code), body, "follow")


def _head(said: Mapping[str, Any], code: str, link: str, label: str) -> str:
    room = f"<p>{escape(said['room'])} <strong>{code}</strong></p>"
    return f'<header>{room}<a href="{link}">{escape(label)}</a></header>'


def _choices(room: Classroom, mine: int | None, base: str) -> str:
    question = room.question
    assert question is not None
    buttons = "".join(
        f'<li><button name="answer" value="{at}" aria-pressed="{str(at == mine).lower()}">'
        f"{_lettered(at, answer)}</button></li>"
        for at, answer in enumerate(question.answers)
    )
    return (
        f'<form method="post" action="{base}/b/{room.code}/vote">'
        f'<input type="hidden" name="question" value="{question.id}">'
        f'<input type="hidden" name="round" value="{question.round}"><ol>{buttons}</ol></form>'
    )


def _given(answers: tuple[str, ...], mine: int | None) -> str:
    rows = "".join(
        f'<li class="given{" mine" if at == mine else ""}">{_lettered(at, answer)}</li>'
        for at, answer in enumerate(answers)
    )
    return f"<ol>{rows}</ol>"


def _tally(told: Mapping[str, Any], mine: int | None, said: Mapping[str, Any]) -> str:
    happened = told["happened"]
    true = (happened["answers"] or []) if happened else []
    sentence = escape(happened["sentence"] if happened else said["watch"])
    total = sum(told["tally"])
    words_of_total = said["total_one"] if total == 1 else said["total"].format(count=total)
    rows = []
    for at, answer in enumerate(told["answers"]):
        marks = [f"<strong>{escape(said['happened'])}</strong>"] if at in true else []
        marks += [escape(said["mine"])] if at == mine else []
        bars = _bar(told["tally"], at)
        if told["first"] is not None:
            marks.append(escape(said["first"].format(count=told["first"][at])))
            bars += _bar(told["first"], at, " past")
        kind = " ".join((*(["happened"] if at in true else []), *(["mine"] if at == mine else [])))
        rows.append(
            f'<li class="{kind}"><div class="row">{_lettered(at, answer)}'
            f"<b>{told['tally'][at]}</b></div>{bars}"
            + (f'<p class="marks">{" · ".join(marks)}</p>' if marks else "")
            + "</li>"
        )
    return (
        f'<p class="sentence" dir="auto">{sentence}</p><ol class="tally">{"".join(rows)}</ol>'
        f'<p class="marks">{escape(said["title"])}: {escape(words_of_total)}</p>'
    )


def _bar(counts: list[int], at: int, kind: str = "") -> str:
    share = 100 * counts[at] / (sum(counts) or 1)
    rect = f'<rect width="{share:.1f}%" height="100%"/>'
    return f'<svg class="bar{kind}" aria-hidden="true">{rect}</svg>'


def _lettered(at: int, answer: str) -> str:
    return f'<span class="letter">{LETTERS[at]}</span><span dir="auto">{escape(answer)}</span>'


def _script(name: str, facts: Mapping[str, Any]) -> str:
    # In JSON this means the same, and no text of anybody's can end the element.
    data = orjson.dumps(facts).decode().replace("<", "\\u003c")
    facts_of_page = f'<script type="application/json" id="page">{data}</script>'
    return f"{facts_of_page}<script>{_SCRIPTS[name]}</script>"


def _page(language: str, title: str, body: str, kind: str = "") -> bytes:
    return _PAGE.substitute(
        language=language, kind=kind, title=escape(title), style=_STYLE, body=body
    ).encode()  # fmt: skip
