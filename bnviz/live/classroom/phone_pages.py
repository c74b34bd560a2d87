"""HTML pages for phones: voting page, code page, and a page that follows the teacher's tab.

Each page is one small, complete response, because lecture halls often have slow Wi-Fi.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from html import escape
from string import Template
from typing import Any

import orjson

from bnviz.live.classroom.class_text import phrases_of, translated
from bnviz.live.classroom.classrooms import CODE_LENGTH, NEVER, Classroom
from bnviz.live.classroom.votes import ClassQuestion
from bnviz.live.contract import LETTERS
from bnviz.live.web.assets import ASSETS
from bnviz.norms import NORMS
from bnviz.norms.colour_places import colour_places
from bnviz.words.joining import labelled, plural, sentences
from bnviz.words.language_choice import PARAMETER
from bnviz.words.texts import current_language, languages, texts

FOLDER = ASSETS / "classroom" / "phone"


# Pattern of the text key of a network's name. The name may be general or specific to a page.
NETWORK = re.compile(r"(?:norms|.+\.networks)\.(\w+?)(?:\.network)?")


def _minified(name: str) -> str:
    """Return a file's text without indentation, empty lines and comment lines."""
    lines = (line.strip() for line in (FOLDER / name).read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


_PAGE = Template((FOLDER / "page.html").read_text("utf-8"))
_STYLE = _minified("page.css")
# Script of each page, preceded by `polling.js`. A function around both keeps their names local.
_SCRIPTS = {
    name: f"(() => {{\n{_minified('polling.js')}\n{_minified(f'{name}.js')}\n}})();"
    for name in ("ballot", "follow")
}


def _source(content: str) -> str:
    """Return the hash of a script or style, as written in a Content-Security-Policy."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


# Content-Security-Policy that allows only the style and scripts inside the page.
POLICY = "; ".join((
    "default-src 'none'", f"style-src {_source(_STYLE)}",
    f"script-src {' '.join(map(_source, _SCRIPTS.values()))}", "connect-src 'self'",
    "frame-src 'self'", "img-src data:", "form-action 'self'", "base-uri 'none'",
    "frame-ancestors 'self'",
))  # fmt: skip


def ballot_page(classroom: Classroom, own: int | None, base: str, error: str = "") -> bytes:
    """Return the current voting page, with this browser's answer and the error of its last vote."""
    words, path, language = texts("ballot"), f"{base}/b/{classroom.code}", current_language()
    facts = {
        "state": f"{path}/state?lang={language}",
        "vote": f"{path}/vote?lang={language}", "words": words["script"],
    }  # fmt: skip
    body = "".join((
        _header(words, classroom.code, f"{base}/w/{classroom.code}", words["watch"]),
        f'<p id="trouble" role="alert">{escape(error)}</p>',
        '<p id="news" class="unseen" aria-live="polite"></p>',
        f'<main id="main" tabindex="-1">{ballot_main(classroom, own, base)}</main>',
        f'<p id="said" role="status">{escape(own_answer_text(classroom, own))}</p>',
        f'<noscript><p><a href="{path}">{escape(words["again"])}</a></p></noscript>',
        f"<footer><p>{escape(words['several'])}</p>{_languages(path)}</footer>",
        _script("ballot", facts),
    ))  # fmt: skip
    return _page(words["title"].format(code=classroom.code), body)


def ballot_main(classroom: Classroom, own: int | None, base: str) -> str:
    """Return the changing part of the voting page: a form, the browser's answer, or the tally."""
    words, question = texts("ballot"), classroom.question
    if question is None:
        waiting = words["taken_back" if classroom.taken_back else "waiting"]
        return f"<h1>{escape(waiting['title'])}</h1><p>{escape(waiting['text'])}</p>"
    answers = _lettered(question.answers)
    title = f'<h1 dir="auto">{escape(translated(question.text))}</h1>'
    if question.round > 1:
        title = f'<p class="round">{escape(words["open"]["second"])}</p>{title}'
    if question.status == "revealed":
        return title + _tally(question, answers, own)
    if question.status == "closed":
        rows = (
            f'<li class="given{" mine" if index == own else ""}">{answer}</li>'
            for index, answer in enumerate(answers)
        )
        return f"{title}<ol>{''.join(rows)}</ol>"
    buttons = (
        f'<li><button name="answer" value="{index}" data-called="{LETTERS[index]}"'
        f' aria-pressed="{str(index == own).lower()}">{answer}</button></li>'
        for index, answer in enumerate(answers)
    )
    return (
        f'{title}<form method="post" action="{base}/b/{classroom.code}/vote">'
        f'<input type="hidden" name="question" value="{question.id}">'
        f'<input type="hidden" name="round" value="{question.round}">'
        f"<ol>{''.join(buttons)}</ol></form>"
    )


def _lettered(answers: Sequence[str]) -> list[str]:
    """Return the HTML of each answer with its letter, and with the line style of a network."""
    norms = [_network(answer) for answer in answers]
    places = colour_places([norm for norm in norms if norm])
    return [
        f'<span class="letter">{letter}</span>{_line(places[norm]) if norm else ""}'
        f'<span dir="auto">{escape(translated(answer))}</span>'
        for letter, answer, norm in zip(LETTERS, answers, norms, strict=False)
    ]


def _network(answer: str) -> str | None:
    """Return the norm of the network named in an answer, or None."""
    found = [NETWORK.fullmatch(each.key) for each in phrases_of(answer)]
    norm = found[0][1] if len(found) == 1 and found[0] else None
    return norm if norm in NORMS else None


def _line(place: int) -> str:
    return f'<svg class="line line-{place}" aria-hidden="true"><path d="M0 6h48"/></svg>'


def _tally(question: ClassQuestion, answers: list[str], own: int | None) -> str:
    """Return HTML with the outcome, one bar per answer and round, and the number of votes."""
    words, outcome = texts("ballot")["revealed"], question.outcome
    tally, first = question.tally, question.first
    sentence = words["watch"] if outcome is None else translated(outcome.sentence)
    rows = []
    for index, answer in enumerate(answers):
        kinds, marks, bars = [], [], _bar("bar", tally, index)
        if outcome is not None and index in (outcome.came_true or ()):
            kinds.append("happened")
            marks.append(f"<strong>{escape(words['happened'])}</strong>")
        if index == own:
            kinds.append("mine")
            marks.append(escape(words["mine"]))
        if first is not None:
            marks.append(escape(words["first"].format(count=first[index])))
            bars += _bar("bar past", first, index)
        marked = f'<p class="marks">{" · ".join(marks)}</p>' if marks else ""
        rows.append(
            f'<li class="{" ".join(kinds)}"><div class="row">{answer}<b>{tally[index]}</b></div>'
            f"{bars}{marked}</li>"
        )
    total = plural(words, "total", sum(tally)).format(count=sum(tally))
    return (
        f'<p class="sentence" dir="auto">{escape(sentence)}</p>'
        f'<ol class="tally">{"".join(rows)}</ol>'
        f'<p class="marks">{escape(labelled(words["title"], total))}</p>'
    )


def _bar(kind: str, counts: list[int], index: int) -> str:
    """Return a bar whose length is an answer's share of all votes."""
    share = 100 * counts[index] / (sum(counts) or 1)
    rect = f'<rect width="{share:.1f}%" height="100%"/>'
    return f'<svg class="{kind}" aria-hidden="true">{rect}</svg>'


def own_answer_text(classroom: Classroom, own: int | None) -> str:
    """Return a sentence about this browser's answer, or "" if there is no question."""
    words, question = texts("ballot"), classroom.question
    if question is None:
        return ""
    opened, closed = words["open"], words["closed"]
    if question.status == "open":
        text = opened["choose"] if own is None else opened["counted"]
    else:
        text = closed["hands" if question.hands else "none" if own is None else "mine"]
    if own is not None:
        text = text.format(letter=LETTERS[own])
    if question.status == "closed":
        return sentences((closed["title"], text, closed["next"]))
    return str(text)


def code_page(base: str, error: str = "") -> bytes:
    """Return the page with the code field, and the error of the previous request, if any."""
    words = texts("ballot")["code"]
    body = (
        f'<main class="code"><p id="trouble" role="alert">{escape(error)}</p>'
        f'<h1>{escape(words["title"])}</h1><form action="{base}/b" method="get">'
        f'<label for="code">{escape(words["label"])}</label>'
        f'<input id="code" name="code" required maxlength="12"'
        f' autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="h">'
        f'<p id="h">{escape(words["help"])}</p><button>{escape(words["go"])}</button></form></main>'
        f"<footer>{_languages(f'{base}/b')}</footer>"
    )
    return _page(words["page"], body)


def no_code_text() -> str:
    """Explain the format of a code to a person who typed something else."""
    words = texts("ballot")["code"]
    return str(words["wrong"].format(count=CODE_LENGTH, never=NEVER))


def follow_page(classroom: Classroom, frame: str | None, base: str) -> bytes:
    """Return the follower page. `frame` is the address to show, or None if it is not known yet."""
    words, code = texts("ballot"), classroom.code
    own, path = words["follow"], f"{base}/w/{code}"
    script = {name: words["script"][name] for name in ("over", "offline")}
    facts = {"state": f"{path}/place?lang={current_language()}", "place": frame, "words": script}
    src = f' src="{escape(frame)}"' if frame else ""
    body = "".join((
        _header(words, code, f"{base}/b/{code}", words["vote"]),
        f'<main><p id="trouble" role="alert"></p>'
        f'<p id="asked" role="status"{"" if classroom.votes_open else " hidden"}>'
        f'{escape(own["asked"])} <a href="{base}/b/{code}">{escape(words["vote"])}</a></p>'
        f'<p id="waiting"{" hidden" if frame else ""}>{escape(own["waiting"])}</p>'
        f'<iframe id="frame" title="{escape(own["frame"])}"{"" if frame else " hidden"}'
        f"{src}></iframe></main>", _script("follow", facts),
    ))  # fmt: skip
    return _page(own["title"].format(code=code), body, "follow")


def _header(words: Mapping[str, Any], code: str, link: str, label: str) -> str:
    room = f"<p>{escape(words['room'])} <strong>{code}</strong></p>"
    return f'<header>{room}<a href="{link}">{escape(label)}</a></header>'


def _languages(path: str) -> str:
    return " ".join(
        f'<a href="{path}?{PARAMETER}={code}" lang="{code}" hreflang="{code}">{escape(name)}</a>'
        for code, name in languages().items() if code != current_language()
    )  # fmt: skip


def _script(name: str, facts: Mapping[str, Any]) -> str:
    """Return a page's script, preceded by the JSON data that it reads."""
    # Escape `<` as \u003c, so that no text can close the script element.
    data = orjson.dumps(facts).decode().replace("<", "\\u003c")
    facts_of_page = f'<script type="application/json" id="page">{data}</script>'
    return f"{facts_of_page}<script>{_SCRIPTS[name]}</script>"


def _page(title: str, body: str, kind: str = "") -> bytes:
    return _PAGE.substitute(
        language=current_language(), kind=kind, title=escape(title), style=_STYLE, body=body
    ).encode()  # fmt: skip
