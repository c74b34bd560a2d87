"""Values that a time series in the browser keeps from handwritten frames."""

# JavaScript that appends frames with the measured rank and, optionally, the loss of the network
# without BN.
APPEND = """(async () => {
  const { Frame } = await import("/assets/v1/live/data/frame.js");
  const typed = (dtype, kind, numbers) => ({ dtype, shape: `${numbers.length}`,
    bdata: btoa(String.fromCharCode(...new Uint8Array(kind.from(numbers).buffer))) });
  const steps = (numbers) => typed("u4", Uint32Array, numbers);
  const values = (numbers) => typed("f8", Float64Array, numbers);
  const frame = ([seq, step, at, rank, loss]) => new Frame({
    seq, step, networks: { none: { loss, measured_at: { rank: at } } },
    arrays: { "none.rank.ratio": values([rank]) },
  });
  let changed = () => {};
  const series = new m.FetchedSeries("/told", () => changed());
  const key = "none.rank.ratio:0";
  const points = (key) => series.get(key).steps.map((step, i) => [step, series.get(key).values[i]]);
  const said = [];
  globalThis.fetch = async () => ({ ok: true, json: async () => {
    const { seq, shown, points } = a.answer;
    const told = { step: 0, value: values(points.map(([, value]) => value)) };
    return { seq, step: steps(shown), steps: [steps(points.map(([step]) => step))],
      fields: { [key]: told } };
  } });
  const settle = async () => {
    while (!series.settled([key]) || series.asking) await new Promise((done) => (changed = done));
  };
  await settle();
  series.get("none.loss");
  for (const one of a.frames) {
    const before = series.get(key).version;
    series.append(frame(one));
    said.push(series.get(key).version - before);
  }
  if (a.again) {
    a.answer = a.again;
    await new Promise((done) => { series.refetch(0); queueMicrotask(done); });
    await settle();
  }
  const knows = a.ask?.map((step) => series.knows(step));
  return { points: points(key), said, loss: points("none.loss"), knows };
})()"""
NOTHING = {"seq": -1, "shown": [], "points": []}


def told(module, *frames, answer=NOTHING, **more):
    """Return the series after frames given as (number, step, measured step, rank, loss)."""
    return module("data/time_series", APPEND, {"frames": frames, "answer": answer, **more})


def test_of_two_values_of_one_step_the_one_of_the_later_frame_counts(module):
    found = told(module, [0, 0, 0, 1.5], [1, 4, 4, 2.5], [2, 5, 4, 3.5], [3, 6, 0, 0.5])
    assert found["points"] == [[0, 0.5], [4, 3.5]]
    assert found["said"] == [1, 1, 1, 1]


def test_a_frame_that_comes_late_does_not_overrule_one_with_a_higher_number(module):
    found = told(module, [0, 0, 0, 1.5], [7, 9, 4, 9.5], [3, 5, 4, 3.5], [5, 7, 2, 2.5])
    assert found["points"] == [[0, 1.5], [2, 2.5], [4, 9.5]]
    assert found["said"] == [1, 1, 0, 1]


def test_what_is_carried_along_is_one_point_and_changes_nothing(module):
    found = told(module, [0, 0, 0, 1.5, 4.0], [1, 1, 0, 1.5, 3.0], [2, 2, 0, 1.5, 2.0])
    assert found["points"] == [[0, 1.5]]
    assert found["said"] == [1, 0, 0]
    assert found["loss"] == [[0, 4.0], [1, 3.0], [2, 2.0]]


def test_an_answer_takes_the_place_of_what_its_newest_frame_knew_and_later_ones_stay(module):
    """A response is complete up to its frame number, except for steps that were thinned out."""
    answer = {"seq": 5, "shown": [0, 6, 8], "points": [[0, 1.0], [2, 20.0], [6, 60.0]]}
    frames = ([4, 4, 4, 44.0], [5, 6, 2, 22.0], [6, 7, 6, 66.0], [7, 9, 9, 99.0])
    found = told(module, *frames, again=answer, ask=[0, 4, 6, 7, 8, 9])
    assert found["points"] == [[0, 1.0], [2, 20.0], [6, 66.0], [9, 99.0]]
    # Up to the response's last step, only steps in the response are known. The response has dropped
    # step 4.
    assert found["knows"] == [True, False, True, False, True, True]
