// State of each network on the eight images of the page: whether it reads the images, predicts one digit for all of
// them, or predicts nothing. The status texts, the predictions, the track and the share button all depend on this
// state. `readingOf` depends only on the run up to the step shown, so going back in time shows the earlier states
// again. Only `Readings` depends on the clock. It shows a state for at least `STANDS` ms, together with the newest
// predictions that agree with the state.

import { seriesKey } from "./time_series.js";

const ALIKE = 7; // minimum number of equal predictions, of eight, at which a network counts as broken
const NOTHING = 255; // value that stands for the prediction if the logits are not finite
const READS = 0.5; // minimum test accuracy at which a network counts as reading
// a network is shaken if its accuracy falls below this share of its best accuracy, until the accuracy has been at least
// this share for `AGAIN` steps
const KEEPS = 0.9;
const AGAIN = 20;
const STANDS = 600; // ms
// minimum time in ms between two updates of the predictions of a network that predicts one digit for all images
const ROW = 333;

/** States in which a network's predictions cannot be the same for all images. */
const READING = new Set(["reads", "reads_again"]);
/** The states of a network that no longer distinguishes the images. */
export const BROKEN = new Set(["one_digit", "nothing"]);

/**
 * Return "one_digit" or "nothing" if the predictions are the same for (nearly) all images. Return null if they differ
 * or there are none.
 */
export function kindOf(answers) {
  const most = Math.max(0, ...answers.map((one) => answers.filter((other) => other === one).length));
  if (most < ALIKE) return null;
  return answers.filter((one) => one === NOTHING).length >= ALIKE ? "nothing" : "one_digit";
}

/**
 * Summarize the accuracy up to a step as {read: whether the network was ever able to read, shaken: whether it is
 * shaken, again: whether it has read again after it was shaken}.
 *
 * @param steps ascending
 * @param accuracies at these steps; values that are not finite count as 0
 */
export function accuracyTraceOf(steps, accuracies) {
  let [read, shaken, again, best, since] = [false, false, false, 0, null];
  steps.forEach((step, i) => {
    const accuracy = Number.isFinite(accuracies[i]) ? accuracies[i] : 0;
    read ||= accuracy >= READS;
    if (!shaken) {
      shaken = read && accuracy < KEEPS * best;
      since = null;
      if (!shaken) best = Math.max(best, accuracy);
      return;
    }
    if (accuracy < KEEPS * best) since = null;
    else since ??= step;
    if (since === null || step - since < AGAIN) return;
    [shaken, again, best] = [false, true, accuracy];
  });
  return { read, shaken, again };
}

/**
 * Return the state of a network at a step: "learns" (it has not been able to read yet), "reads", "shaken", "one_digit",
 * "nothing" or "reads_again".
 *
 * @param network the network's part of the frame
 * @param course result of `accuracyTraceOf` up to that step
 */
export function readingOf({ predictions = [], test_accuracy: accuracy, broke }, { read, shaken, again }) {
  const kind = kindOf(predictions);
  if (kind) return kind;
  if (!predictions.length && !Number.isFinite(Number(accuracy))) return "nothing";
  if (!read) return "learns";
  if (shaken) return "shaken";
  return again || broke ? "reads_again" : "reads";
}

/** Return whether predictions agree with a state. */
function agree(answers, state) {
  const kind = kindOf(answers);
  if (BROKEN.has(state)) return kind === state || !answers.length;
  return !(kind && READING.has(state));
}

export class Readings {
  // Whether a network has broken during this visit. If so, the page keeps the track and the share button from then on.
  everBroken = false;
  #view;
  // Displayed values by norm: {state, since: when the state was first shown, answers, drawn: when the answers were
  // drawn, broken, step}
  #shown = new Map();
  #timer = null;
  #run = null;
  #now;

  /** @param now returns the time in ms */
  constructor(view, now = () => performance.now()) {
    this.#view = view;
    this.#now = now;
  }

  /** Return the state and the predictions shown for a network, as {state, answers}, or null before the first frame. */
  of(norm) {
    return this.#shown.get(norm) ?? null;
  }

  /** Norms of the networks that are broken at the step shown. */
  get broken() {
    return [...this.#shown].flatMap(([norm, { broken }]) => (broken ? [norm] : []));
  }

  draw({ frame, step, store }) {
    if (this.#run !== store.run) {
      this.#run = store.run;
      this.#shown.clear();
    }
    let wait = Infinity;
    for (const norm of this.#view.data.norms) {
      const network = frame.networks[norm];
      if (network) wait = Math.min(wait, this.#follow(norm, network, this.#accuracyTraceUpTo(norm, network, step, store), step));
    }
    this.everBroken ||= this.broken.length > 0;
    clearTimeout(this.#timer);
    // Show changes that are due later, even if no further frame arrives.
    if (wait < Infinity) this.#timer = setTimeout(() => this.#view.paint(), wait);
  }

  #accuracyTraceUpTo(norm, network, step, store) {
    const { steps, values } = store.series.get(seriesKey(`${norm}.test_accuracy`));
    const count = steps.findLastIndex((each) => each < step) + 1;
    return accuracyTraceOf([...steps.slice(0, count), step], [...values.slice(0, count), Number(network.test_accuracy)]);
  }

  /**
   * Show a network's state and predictions at `step`, or keep the ones that are already shown.
   *
   * @returns ms until the new state or predictions are to be shown
   */
  #follow(norm, network, trace, step) {
    const now = this.#now();
    const state = readingOf(network, trace);
    const answers = network.predictions ?? [];
    const shown = this.#shown.get(norm) ?? { state, since: now, answers, drawn: now };
    this.#shown.set(norm, shown);
    // If the predictions of a broken network differ for a step, the network is still broken until it reads again.
    const stays = network.broke || (shown.broken && trace.shaken && step >= shown.step);
    shown.broken = (BROKEN.has(state) && trace.read) || Boolean(stays && !READING.has(state));
    shown.step = step;
    const rests = shown.state === state ? 0 : shown.since + STANDS - now;
    if (shown.state !== state && rests <= 0) Object.assign(shown, { state, since: now, drawn: -Infinity });
    if (!agree(answers, shown.state)) return Math.max(rests, 0);
    const row = shown.state === "one_digit" ? shown.drawn + ROW - now : 0;
    const isNew = String(answers) !== String(shown.answers);
    if (isNew && row <= 0) Object.assign(shown, { answers, drawn: now });
    const waits = [rests, isNew ? row : 0].filter((ms) => ms > 0);
    return waits.length ? Math.min(...waits) : Infinity;
  }

  destroy() {
    clearTimeout(this.#timer);
  }
}
