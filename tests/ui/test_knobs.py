"""Space reserved in the sidebar for the live knobs until they load.

tests/browser/test_knobs.py checks in a browser that the space has the right height.
"""

import re

from bnviz.ui.knobs import FINGER, POINTER


def kept(page):
    """Return the reserved heights in pixels, for a mouse and for a finger."""
    (style,) = (part.value for part in page.get("html") if ".st-key-live_knobs" in part.value)
    return [int(pixels) for pixels in re.findall(r"min-height: (\d+)px", style)]


def less(one, other):
    return [before - after for before, after in zip(one, other, strict=True)]


def test_what_is_hidden_and_what_is_offered_no_more_takes_no_place(open_lab, one_chart):
    sizes = POINTER, FINGER
    usual = kept(open_lab())
    without = kept(open_lab(hide="batch_size"))
    assert less(usual, without) == [each.knob + each.gap for each in sizes]
    without = kept(open_lab(hide="learning_rates"))
    assert less(usual, without) == [each.own_rates + each.gap for each in sizes]
    own = kept(open_lab(learning_rates="0.1,1"))
    assert less(own, usual) == [each.rate + each.gap - each.offer for each in sizes]
