"""The link to what somebody broke: every value that acted, the values of a drag together."""

import pytest


def change(step, rate, drag=None):
    return {"step": step, "values": {"learning_rate": rate}, **({"drag": drag} if drag else {})}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([change(46, 1.5), change(120, 0.1)], "46:1.5,120:0.1"),
        ([change(46, 0.5, 1), change(48, 1.5, 1), change(60, 0.1)], "46:0.5~48:1.5,60:0.1"),
        # Two drags, one right after the other; and a value as it is.
        ([change(4, 0.2, 1), change(5, 0.3, 2), change(6, 1e-05, 2)], "4:0.2,5:0.3~6:0.00001"),
        ([change(9, 0.12345678912345678)], "9:0.12345678912345678"),
        # Of a step the last value acts.
        ([change(7, 0.5), change(7, 2), change(8, 3, 1)], "7:2,8:3"),
        ([{"step": 3, "values": {"momentum": 0.5}}, change(4, 1)], "4:1"),
        ([], ""),
    ],
)
def test_it_has_every_value_of_the_rate_that_acted(module, changes, said):
    assert module("dialogs/share_break", "m.replayOf(a)", changes) == {"text": said, "cut": False}


def test_of_more_values_than_it_can_have_it_has_the_first_and_says_so(module):
    found = module(
        "dialogs/share_break", "m.replayOf(a)", [change(s, 1 + s) for s in range(1, 300)]
    )
    assert found["cut"]
    assert found["text"].count(",") == 199
    assert found["text"].endswith(",200:201")
