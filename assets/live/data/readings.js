// What each network does with the eight images of the page: it reads them, says one digit to all of them, or says
// nothing. The state words, the answers, the track and the button for sharing all follow from this.
//
// `readingOf` depends on the run up to the step shown alone, so going back in time shows the earlier states again.
// `Readings` adds the only clock: a state stands for at least `STANDS` ms, and meanwhile the answers shown are the
// newest that agree with it.

import { seriesKey } from "./time_series.js";

const ALIKE = 7; // of eight answers that are the same
const NOTHING = 255; // the prediction of logits that are not finite
const READS = 0.5; // test accuracy from which a network counts as one that reads
const KEEPS = 0.9; // of its best accuracy: below it is shaken; above it, for `AGAIN` steps, it reads again
const AGAIN = 20;
const STANDS = 600; // ms
const ROW = 333; // ms between two rows of answers of a network that says one digit to all images

/** The states of a network whose answers cannot be all alike. */
const READING = new Set(["reads", "reads_again"]);
/** The states of a network that no longer tells images apart. */
export const BROKEN = new Set(["one_digit", "nothing"]);

/** "one_digit", "nothing", or null: the answers differ. Without images there are no answers. */
export function kindOf(answers) {
  const most = Math.max(0, ...answers.map((one) => answers.filter((other) => other === one).length));
  if (most < ALIKE) return null;
  return answers.filter((one) => one === NOTHING).length >= ALIKE ? "nothing" : "one_digit";
}

/**
 * How the accuracy went up to a step: {read: whether it ever read, shaken, again: whether it has read again after it was
 * shaken}.
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
 * The state of a network at a step: "learns" (it has never read), "reads", "shaken", "one_digit", "nothing" or
 * "reads_again".
 *
 * @param network its part of the frame
 * @param trace from `accuracyTraceOf`, up to that step
 */
export function readingOf({ predictions = [], test_accuracy: accuracy, broke }, { read, shaken, again }) {
  const kind = kindOf(predictions);
  if (kind) return kind;
  if (!predictions.length && !Number.isFinite(Number(accuracy))) return "nothing";
  if (!read) return "learns";
  if (shaken) return "shaken";
  return again || broke ? "reads_again" : "reads";
}

/** Whether answers agree with a state. */
function agree(answers, state) {
  const kind = kindOf(answers);
  if (BROKEN.has(state)) return kind === state || !answers.length;
  return !(kind && READING.has(state));
}

export class Readings {
  everBroken = false; // whether a network has broken in this visit: the track and the button for sharing are there from then on
  #view;
  #shown = new Map(); // norm → {state, since: when it was shown first, answers, drawn: when they were, broken, step}
  #timer = null;
  #run = null;
  #now;

  /** @param now the clock, in ms */
  constructor(view, now = () => performance.now()) {
    this.#view = view;
    this.#now = now;
  }

  /** The state of a network that is shown, and its answers: {state, answers}; null before the first frame. */
  of(norm) {
    return this.#shown.get(norm) ?? null;
  }

  /** The networks that are broken at the step shown. */
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
    // What waits is shown even if no further frame comes.
    if (wait < Infinity) this.#timer = setTimeout(() => this.#view.paint(), wait);
  }

  #accuracyTraceUpTo(norm, network, step, store) {
    const { steps, values } = store.series.get(seriesKey(`${norm}.test_accuracy`));
    const count = steps.findLastIndex((each) => each < step) + 1;
    return accuracyTraceOf([...steps.slice(0, count), step], [...values.slice(0, count), Number(network.test_accuracy)]);
  }

  /** Show a network's state and answers of `step`, or keep the last ones. @returns ms until they are due */
  #follow(norm, network, trace, step) {
    const now = this.#now();
    const state = readingOf(network, trace);
    const answers = network.predictions ?? [];
    const shown = this.#shown.get(norm) ?? { state, since: now, answers, drawn: now };
    this.#shown.set(norm, shown);
    // A network whose answers differ for a step is still broken, until it reads again.
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
