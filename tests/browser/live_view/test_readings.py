"""State machine for the home page's view of each network.

| state       | answers                       | badge                 | track, Share             |
|-------------|-------------------------------|-----------------------|--------------------------|
| learns      | any                           | if the network broke  | once a network has broken|
| reads       | differ                        | no                    | once a network has broken|
| shaken      | any                           | if the network broke  | once a network has broken|
| one_digit   | at least seven of eight alike | if the network broke  | once a network has broken|
| nothing     | at least seven dashes         | if the network broke  | once a network has broken|
| reads_again | differ                        | if the network broke  | once a network has broken|

A network counts as broken in two cases. Either it read the digits before and now predicts the same
digit, or no digit, for all images. Or the engine recorded a break and the network does not read
the digits.
"""

from collections import Counter

import pytest

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.records import NO_PREDICTION, plain

READING = ("reads", "reads_again")
# Milliseconds between two steps at the pace *watch*, and minimum time in milliseconds for which a
# state is shown.
PACE, STANDS = 100, 600
RAISED, LAST = 100, 220

TRACE = "m.accuracyTraceOf(a.map((_, step) => step), a)"
STATE = "m.readingOf({ predictions: a[0], test_accuracy: a[1], broke: a[2] }, a[3])"
READS, LEARNS = ({"read": read, "shaken": False, "again": False} for read in (True, False))
SHAKEN = READS | {"shaken": True}
DIGITS = [3, 0, 8, 4, 9, 2, 7, 5]


def test_a_network_reads_again_once_it_has_nine_tenths_for_twenty_steps(module):
    reads, falls = [0.1, 0.3, 0.6, 0.9], [0.9] * 5 + [0.2] * 3
    cases = [
        ([0.1, 0.3, 0.4], (False, False, False)),
        (reads, (True, False, False)),
        (reads + falls, (True, True, False)),
        ([*reads, *falls, *[0.85] * 20], (True, True, False)),
        ([*reads, *falls, *[0.85] * 21], (True, False, True)),
        ([*reads, *falls, *[0.85] * 15, 0.7, *[0.85] * 20], (True, True, False)),
        ([*reads, *falls, *[0.85] * 21, 0.5], (True, True, True)),
        ([*reads, "NaN", "NaN"], (True, True, False)),
    ]
    wrong = []
    for accuracies, expected in cases:
        found = module("data/readings", TRACE, accuracies)
        if (found["read"], found["shaken"], found["again"]) != expected:
            wrong.append(f"{accuracies}: {found}, not {expected}")
    assert not wrong, "\n".join(wrong)


def test_the_state_follows_from_the_answers_and_the_course(module):
    alike, seven, six = [4] * 8, [4] * 7 + [5], [4] * 6 + [5, 7]
    broke = {"step": 9}
    cases = [
        ((DIGITS, 0.2, None, LEARNS), "learns"),
        ((DIGITS, 0.9, None, READS), "reads"),
        ((DIGITS, 0.9, None, SHAKEN), "shaken"),
        ((DIGITS, 0.9, None, READS | {"again": True}), "reads_again"),
        ((DIGITS, 0.9, broke, READS), "reads_again"),
        ((alike, 0.1, None, LEARNS), "one_digit"),
        ((seven, 0.1, broke, SHAKEN), "one_digit"),
        ((six, 0.1, broke, SHAKEN), "shaken"),
        (([NO_PREDICTION] * 8, None, broke, SHAKEN), "nothing"),
        (([], "NaN", broke, SHAKEN), "nothing"),
        (([], 0.9, None, READS), "reads"),
    ]
    for given, expected in cases:
        assert module("data/readings", STATE, list(given)) == expected, given


# JavaScript that draws the frames of a run in order, and returns the page's state after each frame.
WATCH = """\
(() => {
  let now = 0;
  const columns = { none: { steps: [], values: [] }, batch: { steps: [], values: [] } };
  const store = { run: "r", series: { get: (key) => columns[key.split(".")[0]] } };
  const view = { data: { norms: ["none", "batch"] }, paint() {} };
  const readings = new m.Readings(view, () => now);
  return a.frames.map(({ step, networks }) => {
    for (const norm of view.data.norms) {
      columns[norm].steps.push(step);
      columns[norm].values.push(Number(networks[norm].test_accuracy));
    }
    now += a.pace;
    readings.draw({ frame: { networks }, step, store });
    const shown = view.data.norms.map((norm) => {
      const { state, answers } = readings.of(norm);
      return [norm, { state, answers, badge: networks[norm].broke !== null }];
    });
    const { everBroken: share, broken } = readings;
    return { step, share, broken, networks: Object.fromEntries(shown) };
  });
})()
"""


def frames_of(activation, rate, seed):
    """Return frames of a run whose learning rate is raised at step `RAISED`. From five steps before
    this change, every step has a frame.
    """
    experiment = Experiment(RunConfig(activation=activation, seed=seed, device="cpu"))
    frames = []
    for step in range(LAST + 1):
        if step == RAISED:
            experiment.update(learning_rate=rate)
        if step % 20 == 0 or step >= RAISED - 5:
            records = experiment.snapshot(()).networks
            frames.append(
                {"step": step, "networks": {norm: _plain(records[norm]) for norm in records}}
            )
        experiment.step()
    return frames


def _plain(record):
    accuracy = plain(record.test_accuracy)
    broke = None if record.broke is None else {"step": record.broke.step}
    return {"predictions": list(record.predictions), "test_accuracy": accuracy, "broke": broke}


def kind_of(answers):
    answer, most = Counter(answers).most_common(1)[0]
    return None if most < 7 else "nothing" if answer == NO_PREDICTION else "one_digit"


def reads(frames, norm, step):
    """Return whether accuracy stayed above half of its earlier maximum for the last 20 steps."""
    accuracies = [(frame["step"], float(frame["networks"][norm]["test_accuracy"] or 0))
                  for frame in frames if frame["step"] <= step]  # fmt: skip
    best = max(accuracy for _, accuracy in accuracies)
    return all(accuracy > 0.5 * best for at, accuracy in accuracies if at > step - 20)


def check(frames, shown):
    """Check the page state after each frame, and return whether a network broke."""
    seen_broken = False
    for norm in ("none", "batch"):
        stands, before, was_broken = STANDS, None, []
        for frame, page in zip(frames, shown, strict=True):
            now = page["networks"][norm]
            kind, measured = kind_of(now["answers"]), frame["networks"][norm]
            assert not (now["state"] in READING and kind), page
            if now["state"] in ("one_digit", "nothing"):
                assert kind == now["state"], page
            assert now["badge"] == (measured["broke"] is not None), page
            if now["badge"]:
                assert page["step"] >= measured["broke"]["step"], page
                assert now["state"] != "reads", page
                assert page["share"], page
            assert page["share"] >= bool(page["broken"]), page
            if before is not None and now["state"] != before:
                assert stands >= STANDS, f"{before} is shown for {stands} ms, {page}"
                stands = 0
            stands, before = stands + PACE, now["state"]
            # A network stays marked as broken until it reads the digits again.
            if norm in was_broken:
                assert norm in page["broken"] or reads(frames, norm, page["step"]), page
            was_broken = page["broken"]
            # The page shows a collapse in the frame in which it occurs, unless the previous state
            # must be shown longer.
            if kind_of(measured["predictions"]) == "one_digit" and stands > STANDS:
                assert now["state"] in ("one_digit", "nothing"), page
            seen_broken |= norm in page["broken"]
    return seen_broken


def assert_legal(in_page, runs):
    broken = 0
    for run in runs:
        frames = frames_of(*run)
        broken += check(frames, in_page("data/readings", WATCH, {"frames": frames, "pace": PACE}))
    assert broken == len(runs)


def test_recorded_breaks_show_legal_combinations_only(in_page):
    assert_legal(in_page, [("tanh", 1.0, 0), ("relu", 1.0, 1), ("tanh", 3.0, 2)])


@pytest.mark.verify
def test_forty_recorded_breaks_show_legal_combinations_only(in_page):
    runs = [(phi, rate, seed) for phi in ("tanh", "relu") for rate in (0.7, 1.0, 2.0, 3.0)
            for seed in range(4)]  # fmt: skip
    runs += [("sigmoid", rate, seed) for rate in (0.7, 1.0, 2.0, 3.0) for seed in range(2)]
    assert len(runs) == 40
    for run in runs:
        frames = frames_of(*run)
        check(frames, in_page("data/readings", WATCH, {"frames": frames, "pace": PACE}))


# JavaScript that returns the prompt's text and the prompt's calls to the view, for given states of
# a run and rates on the slider.
TELL = """\
(() => {
  const [acts, painted] = [[], []];
  const readings = { broken: [], everBroken: false };
  const view = {
    readings,
    pageLayout: { nextReplayed: (step) => a.replays?.find(({ step: at }) => at > step) ?? null },
    rate: { showPainted: () => painted.push(view.step), nudge() {} },
    t: (key, { step } = {}) => (key === "prompt.replay" ? `${key} ${step}` : key),
    act: (name) => acts.push(name), link: { values: {} },
    store: { status: a.status ?? "running" },
    data: {
      norms: ["none", "batch"], can_control: a.owns ?? true,
      knobs: { specs: { learning_rate: { home: 0.1 } } },
    },
  };
  const prompt = new m.Prompt(view);
  const said = a.frames.map(([step, rate, broken, shown = step]) => {
    view.step = step;
    view.link.values.learning_rate = rate;
    readings.broken = broken;
    readings.everBroken ||= broken.length > 0;
    prompt.draw({ live: { step }, step: shown });
    return [prompt.says.textContent.replace("prompt.", ""), !prompt.again.hidden];
  });
  const shares = !prompt.share.hidden;
  prompt.again.click();
  const rests = prompt.rests.hidden ? null : prompt.rests.textContent;
  return { said, acts, painted, shares, rests };
})()
"""
BROKEN_AND_PUT_BACK = [
    (20, 0.1, []), (21, 1, []), (30, 1, ["none"]), (40, 0.1, ["none"]), (99, 0.1, ["none"]),
    (100, 0.1, ["none"]),
]  # fmt: skip
SAID = ["begin", "raised", "back", "wait", "wait", "stays"]


@pytest.mark.parametrize("owns", [True, False])
def test_the_prompt_follows_the_states_and_the_rate(in_page, owns):
    told = in_page("panels/prompt", TELL, {"frames": BROKEN_AND_PUT_BACK, "owns": owns})
    assert told["said"] == [[key, owns and key == "stays"] for key in SAID]
    assert told["shares"] == owns
    assert told["painted"] == [30], "the track is painted at the first break, once"
    assert told["acts"] == ["reset"]
    again = [*BROKEN_AND_PUT_BACK, (0, 0.1, []), (30, 0.1, []), (40, 1, ["none"])]
    told = in_page("panels/prompt", TELL, {"frames": again, "owns": owns})
    assert [key for key, _ in told["said"][len(SAID) :]] == ["second", "second", "back"]


def test_the_prompt_stays_while_an_earlier_step_is_looked_at(in_page):
    frames = [(30, 1, ["none"]), (40, 1, [], 10), (41, 1, ["none"], 35), (50, 0.1, ["none"])]
    told = in_page("panels/prompt", TELL, {"frames": frames})
    assert [key for key, _ in told["said"]] == ["back", "back", "back", "wait"]


def test_the_prompt_speaks_of_both_and_of_one_that_reads_again(in_page):
    both = ["none", "batch"]
    frames = [(30, 3, both), (40, 0.1, both), (120, 0.1, both), (130, 0.1, [])]
    told = in_page("panels/prompt", TELL, {"frames": frames})
    assert [key for key, _ in told["said"]] == ["back_both", "wait_both", "stays_both", "recovered"]


def test_what_is_repeated_is_told_before_it_comes(in_page):
    asked = {"frames": [(9, 0.1, []), (21, 1, [])], "replays": [{"step": 20, "rate": 1}]}
    told = in_page("panels/prompt", TELL, asked)
    assert [key for key, _ in told["said"]] == ["replay 20", "raised"]


@pytest.mark.parametrize(
    ("status", "owns", "frames", "rests"),
    [
        ("paused", True, BROKEN_AND_PUT_BACK[:-1], "prompt.rests"),
        ("paused", True, BROKEN_AND_PUT_BACK, "prompt.ended"),
        ("running", True, BROKEN_AND_PUT_BACK, None),
        ("paused", False, BROKEN_AND_PUT_BACK, None),
        ("paused", True, [(0, 0.1, [])], None),
    ],
)
def test_a_paused_run_says_how_it_continues(in_page, status, owns, frames, rests):
    asked = {"frames": frames, "owns": owns, "status": status}
    assert in_page("panels/prompt", TELL, asked)["rests"] == rests
