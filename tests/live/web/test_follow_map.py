"""Where phones that follow a class are led when it looks at a map."""

from urllib.parse import parse_qs, urlsplit

from bnviz.live.hub.room import Place
from bnviz.live.web.follow_route import framed


def led(address: str, run: str | None = None) -> dict[str, str]:
    parts = urlsplit(framed(Place(address, run), "/x") or "")
    assert parts.path == "/x/map"
    return {name: value for name, (value,) in parse_qs(parts.query).items()}


def test_they_watch_the_map_that_the_class_has_drawn_and_have_none_drawn_themselves():
    asked = {"across": "learning_rate,0.1,1,3", "width": "8", "colour": "accuracy"}
    address = "/map?across=learning_rate,0.1,1,3&width=8&colour=accuracy&present=1"
    assert led(address) == {**asked, "embed": "true", "follow": "1"}
    # The card of a cell has a run of its own, which is not the page's, nor every phone's.
    assert led(f"{address}&cell=0.1,4", run="a" * 32) == led(address)
