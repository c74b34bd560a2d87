"""Address that phones open when they follow a class: the teacher's page, for watching only."""

from urllib.parse import parse_qs, urlsplit

import pytest

from bnviz.config import KNOBS
from bnviz.live.classroom.messages import TeacherLocation
from bnviz.live.classroom.phone_routes import frame_address

RUN = "0f" * 16
# Query parameters that concern only the teacher's own screen.
OF_SCREEN = (
    "present=1&paused=1&at=40&embed=true&embed_options=x&lang=de&talk=first-five-minutes&station=3"
)


def led(address: str, run: str | None = None, path: str = "/x/map") -> dict[str, str]:
    parts = urlsplit(frame_address(TeacherLocation(address, run), "/x") or "")
    assert parts.path == path
    said = parse_qs(parts.query, keep_blank_values=True)
    return {name: value for name, (value,) in said.items()}


def test_they_watch_the_map_that_the_class_has_drawn_and_have_none_drawn_themselves():
    asked = {"across": "learning_rate,0.1,1,3", "width": "8", "colour": "accuracy"}
    address = "/map?across=learning_rate,0.1,1,3&width=8&colour=accuracy&present=1"
    assert led(address) == {**asked, "embed": "true", "follow": "1"}
    assert led(address.replace("/map", "/map/"), path="/x/map/") == led(address)
    # The card of a selected map cell has its own run, which does not appear in the phones' address.
    assert led(f"{address}&cell=0.1,4", run="a" * 32) == led(address)


def test_what_concerns_the_teachers_own_screen_stays_there():
    shown = {"charts": "drift,saturation", "hide": "", "embed": "true"}
    said = led(f"/lab?{OF_SCREEN}&charts=drift,saturation&hide=", path="/x/lab")
    assert said == shown
    assert frame_address(TeacherLocation("/lab?charts=drift,saturation"), "/x") == (
        "/x/lab?charts=drift,saturation&embed=true"
    )


@pytest.mark.parametrize("run", [None, RUN])
def test_a_run_says_its_knobs_itself_and_a_page_without_one_needs_them(run: str | None):
    knobs = "&".join(f"{name}=1" for name in KNOBS)
    own = dict.fromkeys(KNOBS, "1") if run is None else {"run": RUN}
    said = led(f"/lab?preset=spirals&{knobs}", run, path="/x/lab")
    assert said == {"preset": "spirals", "embed": "true", **own}


def test_an_address_that_names_a_run_keeps_it():
    other = "a" * 32
    assert led(f"/lab?run={other}&depth=3", RUN, "/x/lab") == {"run": other, "embed": "true"}


def test_nobody_is_led_anywhere_before_the_teachers_page_says_where_it_is():
    assert frame_address(None, "/x") is None
