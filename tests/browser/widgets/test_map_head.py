"""Texts of the map's header: progress, zoom history, and the quantity on its planes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.widgets.map_by_hand import LABELS, ask, plan

GONE = "The server no longer has this map. It is being requested again."


def progress(done: int = 96, total: int = 472, **more: Any) -> dict[str, Any]:
    usual = {"seconds_left": None, "rate": None, "phase": "base"}
    return {"done": done, "total": total, **usual, **more}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, ["of about 0 networks", "waiting for its turn"]),
        ({"status": "running", "progress": progress()}, ["of about 470 networks"]),
        ({"status": "running", "progress": progress(total=97)}, ["of about 97 networks"]),
        ({"status": "running", "progress": progress(seconds_left=89.6, rate=28.14)},
         ["of about 470 networks", "90 s left", "28 per second"]),
        ({"status": "running", "progress": progress(seconds_left=151)},
         ["of about 470 networks", "3 min left"]),
        ({"status": "running", "progress": progress(seconds_left=0.2)},
         ["of about 470 networks", "1 s left"]),
        ({"status": "paused", "progress": progress(seconds_left=9)},
         ["of about 470 networks", "paused"]),
        ({"status": "waiting", "progress": progress()},
         ["of about 470 networks", "waiting for its turn"]),
        ({"status": "waiting", "progress": progress(), "problem": {"message": "Why."}},
         ["of about 470 networks"]),
        ({"status": "finished", "progress": progress()}, ["networks trained"]),
    ],
)  # fmt: skip
def test_how_far_a_map_is_and_how_it_goes_on(blank, answer, words):
    wanted, stopped, apart = ask(blank, "progress", data=plan(), answer=answer)
    assert wanted == words
    if answer and answer["status"] == "finished":
        assert apart == ["networks"]
        assert stopped == wanted
    else:
        assert stopped == [words[0], "stopped"]
        assert apart == [words[0].removesuffix(" networks"), *words[1:]]


@pytest.mark.parametrize(
    ("answer", "offline", "gone", "shown"),
    [
        ({"status": "running", "progress": progress(59, 118)}, False, False, ("59", 50, "")),
        ({"status": "finished", "progress": progress(118, 118)}, False, False, ("118", 100, "")),
        ({"status": "running", "progress": progress(130, 118)}, False, False, ("130", 100, "")),
        (None, False, False, ("0", 0, "")), (None, True, False, ("0", 0, "")),
        (None, True, True, ("0", 0, GONE)),
        ({"status": "failed", "progress": progress(59, 118)}, False, False,
         ("59", 50, "This map could not be finished.")),
        ({"status": "failed", "progress": progress(59, 118), "problem": {"message": "Ended."}},
         False, False, ("59", 50, "Ended.")),
        ({"status": "failed", "progress": progress(59, 118)}, True, False,
         ("59", 50, "This map could not be finished.")),
    ],
)  # fmt: skip
def test_the_head_shows_how_many_are_done_what_share_and_what_is_wrong(
    blank, answer, offline, gone, shown
):
    found = ask(blank, "head", data=plan(), answer=answer, offline=offline, gone=gone)
    assert (found["done"], found["percent"], found["problem"]) == shown
    assert found["width"] == f"{shown[1]}%"
    failed = bool(answer) and answer["status"] == "failed"
    over = failed or (bool(answer) and answer["status"] == "finished")
    assert found["bar"] is not over
    assert found["again"] is (failed and not offline and not gone)


@pytest.mark.parametrize(
    ("norms", "told"),
    [
        (["none", "batch"], "on the GPU (A card)"),
        (["batch"], f"{LABELS['batch']} on the GPU (A card), the rest on the CPU"),
        ([], "on the CPU"),
        (None, None),
    ],
)  # fmt: skip
def test_the_head_says_where_networks_train_on_a_server_with_a_gpu(blank, norms, told):
    gpu = None if norms is None else {"name": "A card", "norms": norms}
    answer = {"status": "running", "progress": progress(), "gpu": gpu}
    about = ask(blank, "head", data=plan(), answer=answer, offline=False, gone=False)["about"]
    assert about == " · ".join(["of about 470 networks", *([told] if told else [])])


def test_crumbs_lead_back_to_each_map_that_was_zoomed(blank):
    labels = ("whole plane", "0.1–1 × 4–8", "0.2–0.3 × 5–6")
    crumbs = [{"label": name} for name in labels]
    assert ask(blank, "crumbs", data=plan(crumbs=crumbs)) == [
        True, "›".join(labels), [["back", 0], ["back", 1]],
    ]  # fmt: skip
    assert ask(blank, "crumbs", data=plan(crumbs=[])) == [False, "", []]
    _, said, _ = ask(blank, "crumbs", data=plan(crumbs=crumbs, ends=True))
    assert said.endswith("and the numbers of layers and examples are whole numbers.")


@pytest.mark.parametrize(
    ("colour", "more", "main", "sub"),
    [
        ("outcome", {}, "Which of these settings learn?",
         "340 steps each, same seed, data: digits"),
        ("outcome", {"equal": "data", "seeds": 5}, "Which of these settings learn?",
         "equal data for each, 5 seeds per cell, data: digits"),
        ("accuracy", {}, "How well does each network classify?",
         "340 steps each, same seed, data: digits"),
        ("share", {"seeds": 3}, "How many seeds of each network learn?",
         "340 steps each, 3 seeds per cell, data: digits"),
        ("break_step", {}, "When does each network break?",
         "340 steps each, same seed, data: digits"),
        ("loss", {"equal": "data"}, "How large is the loss at the end?",
         "equal data for each, same seed, data: digits"),
        ("ratio", {}, "Which network classifies better?",
         "340 steps each, same seed, data: digits"),
        # With a single seed, the text does not mention a share of seeds.
        ("share", {}, "Which of these settings learn?",
         "340 steps each, same seed, data: digits"),
    ],
)  # fmt: skip
def test_the_heading_says_what_the_planes_show(blank, colour, more, main, sub):
    given = plan(steps=340, colour=colour, **more)
    found, below, text, choices = ask(blank, "heading", data=given)
    assert (found, below, text) == (main, sub, f"{main} {sub}")
    assert ("share" in choices) is (more.get("seeds", 1) > 1)
