import pytest

from bnviz.charts.theme import DARK, LIGHT, theme
from tests.every_case import every_case


def test_plain_is_orange_and_bn_blue_wherever_they_stand():
    styles = theme(False).networks(("batch", "layer", "none", "rms"))
    assert [style.line for style in styles.values()] == ["#0072B2", "#009E73", "#D55E00", "#CC79A7"]
    assert styles["none"].text == "#B34700"
    assert theme(True).networks(("none",))["none"].line == "#FF8A3D"


@every_case("norms", [("none", "batch", "layer", "rms"), ("rms", "layer"), ("rms",)])
def test_colour_never_stands_alone(norms):
    styles = theme(False).networks(norms).values()
    for cue in ("line", "text", "dash", "symbol"):
        assert len({getattr(style, cue) for style in styles}) == len(norms)


def test_networks_that_are_neither_plain_nor_bn_get_a_colour_each():
    assert len({style.line for style in LIGHT.networks(("a", "b", "c", "d")).values()}) == 4


def test_nobody_takes_the_colours_of_plain_and_bn():
    own = {style.line for style in LIGHT.networks(("none", "batch")).values()}
    for norms in (("a", "b", "c", "d"), ("batch", "a", "b", "c"), ("none", "a", "b", "c")):
        others = {norm: style.line for norm, style in LIGHT.networks(norms).items()}
        assert not own & {line for norm, line in others.items() if norm not in ("none", "batch")}


@pytest.mark.parametrize(("colours", "paper"), [(LIGHT, "#FFFFFF"), (DARK, "#0E1117")])
def test_words_can_be_read_on_their_paper(colours, paper):
    styles = [
        style for norms in (("none", "batch"), ("a", "b", "c", "d"))
        for style in colours.networks(norms).values()
    ]  # fmt: skip
    for colour in (colours.ink, colours.muted, *(style.text for style in styles)):
        assert contrast(colour, paper) >= 4.5


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
              for part in parts]  # fmt: skip
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
