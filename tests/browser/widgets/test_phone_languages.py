"""Questions and outcomes in a phone's own language. They equal the texts of a page in that
language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bnviz.live.classroom.class_text import phrases_of, translated
from bnviz.live.classroom.messages import read_outcome, read_question
from bnviz.ui.map.page import map_words
from bnviz.words.phrase import Phrase
from bnviz.words.texts import in_language, languages, texts
from tests.browser.widgets.map_by_hand import ask, plan, row

FOUR = ["none", "batch", "layer", "noisy"]
PAIR = {"networks": ["none", "batch", None, None], "network": None, "both": 2, "neither": 3,
        "same": None, "steps": 200, "depth": None}  # fmt: skip
RUNGS = {"learning_rate": [0.01, 0.1, 1, 10, 100], "batch_size": [4, 1024, 16384],
         "depth": [2, 5, 10, 15, 20], "init_std": [0.01, 0.1, 1]}  # fmt: skip
# Tables of texts. Every entry must occur in the questions and outcomes below.
TABLES = ("ask", "answer", "happened", "map.ask", "map.answer", "map.happened")


def page(norms: list[str], depth: int = 6, kind: str | None = None) -> dict[str, Any]:
    """Return the script's data of a run. A third network gets its name from a lesson."""
    given = kind and {"text": "", "answers": None, "kind": kind, "network": None, "steps": None}
    labels = {norm: texts("norms")[norm]["network"] for norm in norms}
    if "noisy" in norms:
        labels["noisy"] = texts("lessons/is-it-shift")["networks"]["noisy"]
    keys = {"noisy": "lessons/is-it-shift.networks.noisy"}
    return {"norms": norms, "labels": labels, "label_keys": keys, "question": given,
            "config": {"depth": depth, "network": "mlp"}}  # fmt: skip


def pages() -> list[dict[str, Any]]:
    """Return page data for runs of one to four networks, with all kinds of questions."""
    return [
        page(FOUR), *(page(FOUR[:count], depth) for count, depth in ((1, 2), (2, 3), (3, 6))),
        *(page(FOUR[:2], kind=kind) for kind in ("first", "ahead")),
    ]  # fmt: skip


def outcomes() -> Iterator[dict[str, Any]]:
    """Yield runs with every possible outcome."""

    def came(kind: str, asked: Mapping[str, Any], *, broken: Any = None, **run: Any) -> Any:
        states = {"none": "blown_up", "batch": "recovered"}
        usual = {"step": 12_500, "ended": False, "chance": 0.1, "breaks": {}, "states": states,
                 "accuracy": {}}  # fmt: skip
        return {"question": {**PAIR, "kind": kind, **asked}, "run": {**usual, **run},
                "from": {"step": 12_000, "broken": broken or {}}}  # fmt: skip

    def broke(step: int, layer: str | None = None, **more: Any) -> dict[str, Any]:
        return {"step": step, "layer": layer, "key": None, "moved": None, **more}

    plain = {"none": broke(12_156)}
    yield came("breaks", {}, breaks={**plain, "batch": broke(12_170)})
    yield came("breaks", {}, breaks={**plain, "batch": broke(9)}, broken={"batch": 9})
    yield came("breaks", {})
    yield came("breaks", {"steps": 900}, ended=True)
    yield came("breaks", {}, states={})
    yield came("first", {}, breaks=plain)
    one = {"network": "none", "networks": [None] * 4, "depth": 6}
    for key in ("saturated", "dead", "large", "nonfinite"):
        first = broke(12_100, "layer 5", key=key, moved="layer 2", moved_at=12_003)
        yield came("layer", one, breaks={"none": first})
    for layer in ("output", None):
        yield came("layer", one, breaks={"none": broke(12_156, layer)})
    for after in (0.6125, 0.1, 0.0004, 0.9996, 1.0, None):
        curve = [[12_000, 0.9031], [12_190, after], [12_200, after]]
        yield came("accuracy", one, accuracy={"none": curve})
    yield came("accuracy", one, accuracy={"none": [[12_000, None], [12_200, None]]})
    yield came("accuracy", one, ended=True)
    curves = {"none": [[12_199, 0.5]], "batch": [[12_199, 0.999]]}
    yield came("ahead", {"same": 2}, accuracy=curves)


def maps() -> Iterator[dict[str, Any]]:
    """Yield maps for every axis of a question, with and without a leading network."""
    ends: list[dict[str, Any]] = [{}, {"failed": True}, {"norms": []}]
    for across, up, norms, reach in (
        ("learning_rate", "batch_size", ("none", "batch"), (2, 5)),
        ("learning_rate", "init_std", ("none", "batch"), (0, 3)),
        ("batch_size", "depth", ("none", "batch", "layer"), (0, 2, 3)),
        ("init_std", "batch_size", ("none", "batch"), (1, 2)),
        ("learning_rate", "depth", ("none", "batch"), (1, 2)),
        *((knob, "batch_size", ("batch",), (2,)) for knob in RUNGS if knob != "batch_size"),
    ):  # fmt: skip
        names = texts("norms")
        shown = [
            {**each, "label": names[each["name"]]["network"]} for each in plan(*norms)["norms"]
        ]
        rows = [
            row(network, i, j, "learned" if i < most else "broken", x=x, y=y)
            for network, most in enumerate(reach)
            for j, y in enumerate(RUNGS[up]) for i, x in enumerate(RUNGS[across])
        ]  # fmt: skip
        yield {"data": plan(*norms, norms=shown, across=axis(across), up=axis(up)), "rows": rows,
               "ends": ends}  # fmt: skip


def axis(knob: str) -> dict[str, Any]:
    return {"knob": knob, "label": knob, "said": texts("map")["page"]["said"][knob],
            "rungs": RUNGS[knob], "logarithmic": knob != "depth",
            "whole": knob in ("batch_size", "depth")}  # fmt: skip


def sent(blank: Any, code: str) -> list[dict[str, Any]]:
    """Return all messages that a page in a language sends to its room."""
    with in_language(code):
        language, words = texts("language"), {"class": dict(texts("class"))}
        joins = {**language["join"], "plural": language["plural"]}
        assert map_words()["class"] == words["class"]
        runs = {"words": words, "pages": pages(), "outcomes": list(outcomes())}
        found = ask(blank, "everything", "phone_languages", joins=joins, runs=runs,
                    maps=list(maps()))  # fmt: skip
    return json.loads(found)


def read(body: dict[str, Any]) -> list[str]:
    """Return the texts of a message, translated from its phrases."""
    if "sentence" in body:
        return [read_outcome(body, 4).sentence]
    text, answers = read_question(body)
    return [text, *answers]


def written(body: dict[str, Any]) -> list[str]:
    """Return the texts of a message as the page wrote them."""
    return [body["sentence"]] if "sentence" in body else [body["text"], *body["answers"]]


def keys_of(value: Any) -> set[str]:
    """All keys in a phrase."""
    if isinstance(value, Phrase):
        return {value.key, *(key for each in value.values.values() for key in keys_of(each))}
    return {key for each in value for key in keys_of(each)} if isinstance(value, list) else set()


def keys_below(table: Mapping[str, Any], at: str) -> set[str]:
    return {
        key for name, value in table.items()
        for key in (keys_below(value, f"{at}.{name}") if isinstance(value, Mapping)
                    else {f"{at}.{name}"})
    }  # fmt: skip


def test_a_phone_reads_what_a_page_in_its_language_would_have_sent_whatever_the_teachers_is(blank):
    made = {code: sent(blank, code) for code in languages()}
    used: set[str] = set()
    for bodies in made.values():
        texts_sent = [read(body) for body in bodies]
        used |= {key for each in texts_sent for one in each
                 for phrase in phrases_of(one) for key in keys_of(phrase)}  # fmt: skip
        for phone in languages():
            with in_language(phone):
                shown = [list(map(translated, each)) for each in texts_sent]
            assert shown == [written(body) for body in made[phone]]
    words = texts("class", "en")
    for table in TABLES:
        own = words
        for part in table.split("."):
            own = own[part]
        assert keys_below(own, f"class.{table}") <= used
