"""The game of the home page: which rate counts as held, and what it says when."""

import pytest

PLAY = """\
(() => { const climb = new m.Climb();
  for (const [step, rate, accuracy] of a) climb.take(step, rate, accuracy);
  return [climb.best, climb.held]; })()
"""


def walk(*parts):
    """Frames of a run: (rate, accuracy, steps), one after the other, every second step."""
    frames, step = [], 0
    for rate, accuracy, steps in parts:
        frames += [[at, rate, accuracy] for at in range(step, step + steps, 2)]
        step += steps
    return frames


HELD = [
    (walk((0.1, 0.95, 50)), None, 48),
    (walk((0.1, 0.95, 52)), [0.1, 50], 50),
    (walk((0.1, 0.95, 60), (0.3, 0.92, 54)), [0.3, 52], 52),
    (walk((0.3, 0.95, 60), (0.1, 0.95, 70)), [0.3, 58], 68),
    # The same rate, held for longer; and for less again.
    (walk((0.1, 0.95, 90), (0.1, 0.1, 2), (0.1, 0.95, 60)), [0.1, 88], 58),
    # A rate at which it broke does not count, nor one at which it fell for a moment.
    (walk((0.1, 0.95, 60), (1, 0.95, 30), (1, 0.1, 60)), [0.1, 58], 0),
    (walk((0.1, 0.95, 30), (0.1, 0.89, 2), (0.1, 0.95, 40)), None, 38),
    # Steps of two rates are not added up, nor those of two rounds.
    (walk((0.1, 0.95, 40), (0.2, 0.95, 40)), None, 38),
    (walk((0.1, 0.95, 40)) + walk((0.1, 0.95, 40)), None, 38),
    (walk((0.1, None, 60)), None, 0),
]


def test_the_best_is_the_highest_rate_that_was_held_and_for_how_long(module):
    wrong = []
    for at, (frames, best, held) in enumerate(HELD):
        found, steps = module("panels/game", PLAY, frames)
        told = (found and [found["rate"], found["steps"]], steps)
        if told != (best, held):
            wrong.append(f"case {at}: {told}, not {(best, held)}")
    assert not wrong, "\n".join(wrong)


# What the game asks of its view; a run's frames, each with the rate that the slider has by then.
TELL = """\
(() => {
  const [acts, painted] = [[], []];
  const view = {
    pageLayout: { nextReplayed: (step) => a.replays?.find(({ step: at }) => at > step) ?? null },
    rate: { showPainted: (shown) => painted.push(shown), nudge: () => {} },
    covered: a.covered ?? null,
    t: (key, { step } = {}) => (key === "game.replay" ? `${key} ${step}` : key),
    act: (name) => acts.push(name), link: { values: {} },
    store: { status: a.status },
    data: {
      norms: a.norms ?? ["none"], base: "", can_control: a.owns,
      knobs: { specs: { learning_rate: { home: 0.1 } } },
    },
  };
  const game = new m.Game(view);
  const story = { headline: [a.headline ?? "", {}] };
  const other = { state: a.other, broke: { step: 9 }, story };
  const said = a.frames.map(([run, step, rate, state, accuracy, broke = null]) => {
    view.store.run = run;
    view.link.values.learning_rate = rate;
    const none = { state, broke, test_accuracy: accuracy, story };
    game.draw({ live: { step, networks: { none, batch: other } } });
    return [game.says.textContent, !game.again.hidden];
  });
  const shares = !game.share.hidden;
  game.again.click();
  return { said, acts, painted, shares, rests: game.rests.hidden ? null : game.rests.textContent,
    best: game.best.hidden ? null : game.best.textContent };
})()
"""
BROKEN_AND_PUT_BACK = [
    ("r", 20, 0.1, "learning", 0.95), ("r", 21, 1, "learning", 0.95), ("r", 30, 1, "blown_up", 0.1),
    ("r", 40, 0.1, "stuck", 0.1), ("r", 99, 0.1, "stuck", 0.1), ("r", 100, 0.1, "stuck", 0.1),
]  # fmt: skip
SAID = ["begin", "raised", "back", "wait", "wait", "stays"]
CLIMBED = [
    ("r", 0, 0.1, "learning", 0.1), ("r", 30, 0.1, "learning", 0.92),
    ("r", 80, 0.1, "learning", 0.95), ("r", 90, 1, "blown_up", 0.1),
]  # fmt: skip


@pytest.mark.parametrize("owns", [True, False])
def test_one_breaks_is_not_healed_and_the_climb_begins_when_it_starts_over(in_page, owns):
    told = in_page("panels/game", TELL, {"frames": BROKEN_AND_PUT_BACK, "owns": owns})
    assert told["said"] == [[f"game.{key}", owns and key == "stays"] for key in SAID]
    assert told["best"] is None, "the first round is no climb"
    assert told["shares"] == owns
    assert told["painted"] == [False] * 2 + [True] * 4, "nothing is told before it broke"
    told = in_page("panels/game", TELL, {"frames": BROKEN_AND_PUT_BACK + CLIMBED, "owns": owns})
    assert [key for key, _ in told["said"][len(SAID) :]] == ["game.climb"] * 3 + ["game.lost"]
    assert told["best"] == "game.best"
    assert told["acts"] == ["reset"]
    assert told["painted"][-4:] == [True] * 4, "it was told once"
    quiet = {"frames": BROKEN_AND_PUT_BACK, "owns": owns, "covered": {"kind": "first"}}
    told = in_page("panels/game", TELL, quiet)
    assert told["painted"] == [False] * len(SAID), "nothing is told while a class is asked"


@pytest.mark.parametrize(
    ("status", "owns", "rests"),
    [("paused", True, "game.rests"), ("running", True, None), ("paused", False, None)],
)
def test_a_run_that_waits_says_how_it_goes_on_to_whom_it_belongs(in_page, status, owns, rests):
    asked = {"frames": BROKEN_AND_PUT_BACK[:-1], "owns": owns, "status": status}
    assert in_page("panels/game", TELL, asked)["rests"] == rests
    asked["frames"] = BROKEN_AND_PUT_BACK
    ended = rests and "game.ended"
    assert in_page("panels/game", TELL, asked)["rests"] == ended, "starting over is better advice"
    asked["frames"] = [("r", 0, 0.1, "learning", 0.1)]
    assert not in_page("panels/game", TELL, asked)["rests"], "nothing has begun yet"


BROKE = {"step": 30, "layer": None}


def test_under_a_network_that_broke_nothing_says_that_nothing_is_broken(in_page):
    """Whatever became of it since; it may learn again and still be far from where it was."""
    wrong = []
    for state, said in [
        ("blown_up", "wait"), ("stuck", "wait"), ("diverged", "wait"),
        ("learning", "learns"), ("recovered", "recovered"),
    ]:  # fmt: skip
        frames = [
            ("r", 20, 0.1, "learning", 0.95), ("r", 30, 1, "blown_up", 0.1, BROKE),
            ("r", 90, 0.1, state, 0.5, BROKE),
        ]  # fmt: skip
        told = in_page("panels/game", TELL, {"frames": frames, "owns": True})["said"]
        keys = [key for key, _ in told]
        if (keys, told[-1][1]) != (
            ["game.begin", "game.back", f"game.{said}"],
            said == "recovered",
        ):
            wrong.append(f"{state}: {told}")
    assert not wrong, "\n".join(wrong)


def test_where_both_have_broken_it_speaks_of_both(in_page):
    wrong = []
    for other, both in [
        ("stuck", True), ("blown_up", True), ("recovered", False), ("learning", False),
    ]:  # fmt: skip
        asked = {"frames": BROKEN_AND_PUT_BACK, "owns": True, "norms": ["none", "batch"]}
        told = in_page("panels/game", TELL, asked | {"other": other})["said"]
        words = {key: f"{key}_both" for key in ("back", "wait", "stays")} if both else {}
        if told != [[f"game.{words.get(key, key)}", key == "stays"] for key in SAID]:
            wrong.append(f"{other}: {told}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("headline", ["broke_learning", "broke_unsteady"])
def test_of_one_that_learns_again_nothing_says_that_it_stays_broken(in_page, headline):
    """As its headline has it, though its state is still the one in which it broke."""
    asked = {
        "frames": [(*frame, BROKE) if frame[1] > 21 else frame for frame in BROKEN_AND_PUT_BACK],
        "owns": True, "norms": ["none", "batch"], "other": "blown_up", "headline": headline,
    }  # fmt: skip
    told = in_page("panels/game", TELL, asked)
    keys = [key.removeprefix("game.") for key, _ in told["said"]]
    assert keys == ["begin", "raised", "back_both", "learns", "learns", "learns"]


def test_what_is_made_again_by_itself_is_told_before_it_comes(in_page):
    frames = [
        ("r", 9, 0.1, "learning", 0.9),
        ("r", 21, 1, "learning", 0.9),
        *BROKEN_AND_PUT_BACK[2:],
    ]
    asked = {"frames": frames, "owns": True, "replays": [{"step": 20, "rate": 1}]}
    told = in_page("panels/game", TELL, asked)
    assert [key for key, _ in told["said"][:3]] == ["game.replay 20", "game.raised", "game.back"]
