"""The names of networks in a lesson's sentences."""

from bnviz.charts.theme import theme
from bnviz.ui.lessons.networks import with_lines


def test_a_network_named_in_a_sentence_has_its_colour_and_its_line():
    styles = theme(False).networks(("none", "batch"))
    told = with_lines("<li>Without BN 10 %, with BN 95 %.</li>", ("none", "batch"), {})
    for name, norm, drawn in (("Without BN", "none", "dashed"), ("with BN", "batch", "solid")):
        assert (
            f'style="--network: {styles[norm].text}; --network-line: {styles[norm].line}; '
            f'--network-drawn: {drawn}">{name}</span>' in told
        )


def test_nothing_within_a_tag_and_no_network_that_does_not_run_is_marked():
    text = '<a title="with BN">here</a> with paths left out'
    assert with_lines(text, ("none", "batch"), {}) == text


def test_a_name_in_which_another_networks_stands_has_its_own_networks_colour():
    norms = ("none", "batch", "ablated")
    styles = theme(False).networks(norms)
    text = "<li>With BN 95 %.</li><li>The network with BN of the mean only is at 40 %.</li>"
    told = with_lines(text, norms, {"ablated": "with BN of the mean only"})
    assert told.count("<span") == 2
    for name, norm in (("With BN", "batch"), ("with BN of the mean only", "ablated")):
        assert f"--network: {styles[norm].text}; " in told.partition(f">{name}</span>")[0][-120:]
