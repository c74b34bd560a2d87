"""Replay of a break at one step per second. It stops at the last step."""

import pytest

# JavaScript that returns the steps shown by a replay. Simulated timer ticks advance the replay.
PLAYED = """(async () => {
  const { setInterval } = globalThis, ticks = [], shown = [];
  const frames = a.kept.map((step) => ({ step }));
  const history = a.kept.map((step, seq) => [seq, step]);
  const far = (step) => ([, one], [, other]) => Math.abs(one - step) - Math.abs(other - step);
  const store = {
    history, live: frames.at(-1), nearest: (step) => [...history].sort(far(step))[0],
    fetchFrame: async (seq) => frames[seq],
  };
  const time = new m.TimeCursor(store);
  time.on("shown", () => shown.push(time.frame.step));
  globalThis.setInterval = (call, wait) => ticks.push({ call, wait });
  try {
    time.playAround(a.broke);
    for (let i = 0; i < 30 && time.mode === "playing"; i += 1) {
      await new Promise((done) => setTimeout(done));
      ticks[0].call();
    }
  } finally {
    globalThis.setInterval = setInterval;
  }
  await new Promise((done) => setTimeout(done));
  return { shown, mode: time.mode, at: time.pinned, wait: ticks[0].wait };
})()"""


@pytest.mark.parametrize(
    ("broke", "kept", "shown"),
    [
        (10, list(range(41)), list(range(4, 25))),
        (2, list(range(9)), list(range(9))),
        # The nearest kept step replaces a missing step.
        (10, [0, 5, 10, 20, 40], [5, 10, 20]),
    ],
)
def test_the_kept_steps_around_a_break_are_shown_one_a_second(module, broke, kept, shown):
    played = module("data/time_cursor", PLAYED, {"broke": broke, "kept": kept})
    last = min(broke + 14, kept[-1])
    assert played == {"shown": shown, "mode": "pinned", "at": last, "wait": 1000}
