"""The sidebar row that multiplies weights: its commands, its texts, and who may use it."""

from playwright.sync_api import expect

from bnviz.actions import SCALE_WEIGHTS, scalable_layers
from bnviz.ui.knobs import FACTOR, FACTORS
from bnviz.words.texts import texts
from tests.browser.live_view.knob_hands import knob, thumb
from tests.browser.live_view.page_data import knobs_of
from tests.browser.live_view.recorded import PAIR

SAID = texts("knobs")[SCALE_WEIGHTS]


def sidebar(layers):
    """Return sidebar data with one knob and the row for scaling weights, for a network with
    `layers` layers.
    """
    knobs = knobs_of(PAIR, "learning_rate", SCALE_WEIGHTS)
    knobs["specs"][SCALE_WEIGHTS] = {
        "label": SAID["label"], "help": SAID["help"], "action": True, "factors": FACTORS,
        "factor": FACTOR, "layers": layers,
    }  # fmt: skip
    return {"knobs": knobs, "heading": ["While it runs", "acts at once"]}


def parts(tab):
    row = knob(tab, SCALE_WEIGHTS)
    return (
        row.get_by_label(SAID["factor"], exact=True),
        row.get_by_label(SAID["which"], exact=True), row.get_by_role("button"),
    )  # fmt: skip


def acted(harness):
    return [(each["action"], each["value"]) for each in harness.kinds("action")]


def test_each_press_multiplies_once_what_is_chosen_and_says_so(lab, harness):
    tab = lab(sidebar=sidebar(9))  # more layers than the run has
    factor, layer, button = parts(tab)
    done, wrong = (knob(tab, SCALE_WEIGHTS).get_by_role(role) for role in ("status", "alert"))
    button.press("Enter")
    harness.wait(lambda: acted(harness) == [(SCALE_WEIGHTS, [FACTOR, None])])
    expect(done).to_have_text(
        SAID["done"].format(step=30, what=SAID["did_all"].format(factor=f"{FACTOR:g}"))
    )
    factor.select_option("0.1")
    layer.select_option("2")
    button.click()
    harness.wait(lambda: acted(harness)[1:] == [(SCALE_WEIGHTS, [0.1, 2])])
    expect(done).to_have_text(
        SAID["done"].format(step=30, what=SAID["did_layer"].format(layer=2, factor="0.1"))
    )
    layer.select_option("9")
    button.click()
    expect(wrong).to_contain_text("`scale_weights` must be")
    layer.select_option("2")
    button.click()
    expect(wrong).to_be_hidden()
    numbers = [each["n"] for each in harness.kinds("action")]
    assert numbers == sorted({*numbers})
    assert len(numbers) == 4


def test_where_all_layers_share_their_weights_there_is_none_to_choose(lab, harness):
    tab = lab(sidebar=sidebar(0))
    _, layer, button = parts(tab)
    expect(layer).to_be_hidden()
    button.click()
    harness.wait(lambda: acted(harness) == [(SCALE_WEIGHTS, [FACTOR, None])])


def test_who_only_watches_cannot_press_it(lab):
    tab = lab(sidebar=sidebar(3), begin={"can_control": False}, can_control=False)
    for part in parts(tab):
        expect(part).to_be_disabled()


def test_what_was_not_answered_before_the_connection_was_lost_is_said_for_a_while(lab, harness):
    tab = lab(sidebar=sidebar(scalable_layers(PAIR)))
    *_, button = parts(tab)
    wrong = knob(tab, SCALE_WEIGHTS).get_by_role("alert")
    harness.obeys = False
    button.press("Enter")
    harness.wait(lambda: acted(harness))
    expect(wrong).to_have_count(0)
    harness.cut()
    harness.wait(lambda: harness.asked["live"] == 2)
    expect(wrong).to_have_text(texts("live")["knob"]["unanswered"])
    expect(wrong).to_have_count(0)


def test_a_value_that_the_run_has_is_not_said_to_be_unanswered(lab, harness):
    tab = lab(sidebar=sidebar(scalable_layers(PAIR)))
    harness.obeys = False
    for _ in range(2):
        thumb(tab, "learning_rate").press("ArrowRight")
    harness.wait(lambda: len(harness.kinds("knob")) == 2)
    harness.cut()
    harness.wait(lambda: harness.asked["live"] == 2)
    expect(thumb(tab, "learning_rate")).to_be_enabled()
    expect(knob(tab, "learning_rate").get_by_role("alert")).to_be_hidden()
