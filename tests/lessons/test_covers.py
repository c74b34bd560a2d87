"""Every item of the notes is taught where `covers.toml` says."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from bnviz.words.texts import texts
from tests.every_case import every_case

ITEMS = tomllib.loads(Path(__file__).with_name("covers.toml").read_text("utf-8"))["item"]
# Keys of a lesson's texts that its page draws.
DRAWN = {
    "question", "predict", "answers", "watch", "why", "more", "popular", "series", "rates", "break",
    "verdict", "so_far", "layer", "elsewhere", "faults", "fault", "stops", "row", "benefits",
    "own_verdict",
}  # fmt: skip


def said(lesson, at):
    """Return all texts below a key of a lesson, joined without line breaks."""
    part = texts(f"lessons/{lesson}")
    for key in at.split("."):
        part = part[key]
    return " ".join(" ".join(strings(part)).split())


def strings(part) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    else:
        for each in part.values() if hasattr(part, "values") else part:
            yield from strings(each)


def test_every_item_has_a_place_or_is_open():
    assert len(ITEMS) == 42
    assert len({each["item"] for each in ITEMS}) == len(ITEMS)
    for each in ITEMS:
        assert each.keys() == {"notes", "item", "taught"}
        assert each["notes"]
        assert each["taught"], each["item"]


@every_case("item", ITEMS)
def test_an_item_is_taught_where_the_table_says(item):
    for place in item["taught"]:
        assert place.keys() == {"lesson", "at", "says"}
        assert place["at"].split(".")[0] in DRAWN
        assert place["says"] in said(place["lesson"], place["at"]), place
