"""Sharing a broken network: a link with every applied learning rate, and a picture."""

from itertools import combinations, cycle

import orjson
import pytest

from bnviz.config import RunConfig
from bnviz.data.shown import shown_images
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.records import NO_PREDICTION
from bnviz.ui.chart_templates import network_colours
from bnviz.words.texts import in_language, languages, texts


def change(step, rate, drag=None):
    return {"step": step, "values": {"learning_rate": rate}, **({"drag": drag} if drag else {})}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([change(46, 1.5), change(120, 0.1)], "46:1.5,120:0.1"),
        ([change(46, 0.5, 1), change(48, 1.5, 1), change(60, 0.1)], "46:0.5~48:1.5,60:0.1"),
        # Two drags in succession, and a number without rounding.
        ([change(4, 0.2, 1), change(5, 0.3, 2), change(6, 1e-05, 2)], "4:0.2,5:0.3~6:0.00001"),
        ([change(9, 0.12345678912345678)], "9:0.12345678912345678"),
        # Only the last value of a step takes effect.
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


RAISED, SHOWN = 100, 130
RUNS = [(phi, rate, seed) for phi in ("tanh", "relu") for rate in (0.7, 1.0, 1.5, 2.0, 3.0)
        for seed in range(2)]  # fmt: skip
READING = cycle(("reads_again", "shaken", "reads", "learns", "one_digit", "nothing"))

# JavaScript that draws the picture of a run in each language, and returns the picture's texts and
# their bounding boxes.
DRAW = """\
(async () => {
  const { Frame } = await load("data/frame");
  const { translator } = await load("lib/texts");
  const { WIDTH, HEIGHT, drawBreakPicture } = await load("dialogs/break_picture");
  const frame = new Frame(a.frame);
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  return a.languages.map((texts) => {
    const picture = m.pictureOf({
      root: document.body, data: a.data, t: translator(texts),
      scene: () => ({ frame, live: frame }),
      store: { initial: { learning_rate: 0.1 }, changes: frame.changes },
      readings: { of: (norm) => a.states[norm], broken: ["none"] },
      link: { values: { learning_rate: 0.1 } },  // set back since
    });
    if (a.brands) picture.brands = a.brands;
    const { foot, networks } = picture;
    return { foot, networks, boxes: drawBreakPicture(canvas, picture) };
  });
})()
"""


def picture_of(activation, rate, seed):
    """Return page data of a run, 30 steps after its learning rate was raised at step 100."""
    config = RunConfig(activation=activation, seed=seed, device="cpu")
    experiment = Experiment(config)
    experiment.advance(RAISED)
    experiment.update(learning_rate=rate)
    experiment.advance(SHOWN)
    snapshot = experiment.snapshot(("histogram", "start_histogram"))
    answers = {norm: list(record.predictions) for norm, record in snapshot.networks.items()}
    nothing = answers["none"] == [NO_PREDICTION] * 8
    states = {"none": "nothing" if nothing else "one_digit", "batch": next(READING)}
    return {
        "frame": orjson.loads(encode_body(snapshot, changes=experiment.changes)),
        "states": {norm: {"state": states[norm], "answers": answers[norm]} for norm in states},
        "data": {
            "norms": config.norms, "colours": network_colours(config.norms, dark=False),
            "block": {"images": shown_images(config), "zones": [[0, 0.4], [0.6, 1]]},
        },
    }  # fmt: skip


def assert_in_order(boxes):
    for one in boxes:
        assert 60 <= one["left"] < one["right"] <= 1140, one
        assert 40 <= one["top"] < one["bottom"] <= 615, one
    for one, other in combinations(boxes, 2):
        apart = (
            one["right"] <= other["left"] or other["right"] <= one["left"]
            or one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
        )  # fmt: skip
        assert apart, f"{one} is on {other}"
    sizes = {kind: [box["size"] for box in boxes if box["kind"] == kind] for kind in LEAST}
    assert all(min(sizes[kind]) >= least for kind, least in LEAST.items()), sizes


LEAST = {"foot": 36, "headline": 24, "answer": 36, "brand": 26}  # px


def test_the_picture_of_a_recorded_break_says_its_rate_and_nothing_overlaps(in_page):
    words = []
    for code in languages():
        with in_language(code):
            own = texts("live")["sharing_break"]
            words.append(orjson.loads(orjson.dumps({"sharing_break": own}, default=dict)))
    hosts = (["bnviz"], ["bnviz · bn.example.org", "bn.example.org", "bnviz"],
             [f"bnviz · {'long.' * 12}org", f"{'long.' * 12}org", "bnviz"])  # fmt: skip
    for run, brands in zip(RUNS, cycle(hosts), strict=False):
        asked = {**picture_of(*run), "languages": words, "brands": brands}
        for drawn in in_page("dialogs/share_break", DRAW, asked):
            assert_in_order(drawn["boxes"])
            assert f"{run[1]:g}" in drawn["foot"]
            assert [len(network["start"]) for network in drawn["networks"]] == [64, 64]
