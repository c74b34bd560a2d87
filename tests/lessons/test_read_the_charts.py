"""Question of the lesson *How to read these charts*, tested on synthetic runs."""

from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import made, printed
from tests.lessons.observing import lesson


@every_case("layer", [1, 4, 6])
def test_the_layer_with_most_values_in_the_flat_zone_is_counted_from_one(layer):
    shares = [0.05, 0.04, 0.03, 0.04, 0.02, 0.05]
    shares[layer - 1] = 0.21
    told = {(0, "none"): {"saturation.saturated": (0.9, 0.1, 0.1, 0.1, 0.1, 0.1)},
            (60, "none"): {"saturation.saturated": shares},
            (60, "batch"): {"saturation.saturated": (0.1, 0.8, 0.1, 0.1, 0.1, 0.1)},
            (80, "none"): {"saturation.saturated": (0.1, 0.1, 0.7, 0.1, 0.1, 0.1)}}  # fmt: skip
    numbers = lesson("read-the-charts").check(made("read-the-charts", told))
    assert numbers == {"layer": layer, "share": 0.21}
    said = texts("lessons/read-the-charts")["check"]["seen"]
    assert printed("read-the-charts", [said], numbers) == [["60", str(layer), "21\u00a0%"]]
