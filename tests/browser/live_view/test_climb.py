"""The game of the home page: which rate counts as held."""

import pytest

PLAY = """\
(() => { const climb = new m.Climb();
  for (const [step, rate, accuracy] of a) climb.see(step, rate, accuracy);
  return [climb.best, climb.held]; })()
"""


def walk(*parts):
    """Frames of a run: (rate, accuracy, steps), one after the other, every second step."""
    frames, step = [], 0
    for rate, accuracy, steps in parts:
        frames += [[at, rate, accuracy] for at in range(step, step + steps, 2)]
        step += steps
    return frames


@pytest.mark.parametrize(
    ("frames", "best", "held"),
    [
        (walk((0.1, 0.95, 50)), None, 48),
        (walk((0.1, 0.95, 52)), 0.1, 50),
        (walk((0.1, 0.95, 60), (0.3, 0.92, 60)), 0.3, 58),
        (walk((0.3, 0.95, 60), (0.1, 0.95, 60)), 0.3, 58),
        # A rate at which it broke does not count, nor one at which it fell for a moment.
        (walk((0.1, 0.95, 60), (1, 0.95, 30), (1, 0.1, 60)), 0.1, 0),
        (walk((0.1, 0.95, 30), (0.1, 0.89, 2), (0.1, 0.95, 40)), None, 38),
        # Steps of two rates are not added up, nor those of two rounds.
        (walk((0.1, 0.95, 40), (0.2, 0.95, 40)), None, 38),
        (walk((0.1, 0.95, 40)) + walk((0.1, 0.95, 40)), None, 38),
        (walk((0.1, None, 60)), None, 0),
    ],
)
def test_a_rate_is_held_for_fifty_steps_at_nine_tenths_or_more(module, frames, best, held):
    found, steps = module("panels/game", PLAY, frames)
    assert (found and found["rate"], steps) == (best, held)
