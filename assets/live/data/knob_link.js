// Live knobs of a run: the run's values, values set in this browser that the server has not confirmed yet, and values
// set while the page shows a past step.

import { Emitter } from "../lib/emitter.js";
import { sameValue } from "../lib/live_actions.js";

const APART = 34; // minimum time in ms between two messages; the server accepts a slightly higher rate
const MOST_CONFIRMATIONS = 100; // maximum number of the server's replies that are kept

/**
 * The live knobs of one run. Emits "values" when a displayed value may have changed, "refused" with {knob, message,
 * phrase}, and "acted" with {action, value, step} when an action was done.
 */
export class KnobLink extends Emitter {
  /** The knob values of the run. Until the server has sent these values, they come from the page. */
  values;
  connected = false;
  /** Whether the connection was lost. */
  lost = false;
  /** Whether the server accepts knob changes from this browser, or null until the server has said so. */
  allowed = null;
  /** The server's replies as [n, step], newest last. Setting number n takes effect after this step. */
  answers = [];
  /** The `RewoundKnobs` of the view, or null if knobs always act on the newest step of the run. */
  rewound = null;
  #store;
  #number = 0; // number of the setting that was sent last
  #gestures = 0;
  #byHand = new Set(); // names of the knobs that were set in this browser while the server advances the run
  // Settings that were not sent yet. The key of a knob is its name, with the value {knob, value, drag}. An action has a
  // unique key, with the value {action, value}.
  #waiting = new Map();
  #sent = []; // settings that were sent but have no reply yet, each with its number n
  #actions = 0; // number of actions so far, which makes their keys unique
  #sentAt = -Infinity;
  #timer = null;
  #held = false;
  #greeted = false; // whether the server has sent the run's values
  #elsewhere = false; // whether the tab is about to show another run; if so, knobs that are set now belong to that run

  constructor(store, values) {
    super();
    this.#store = store;
    this.values = values;
    store.on("hello", (message) => this.#takeHello(message));
    store.on("knobs", (message) => this.#takeValues(message));
    store.on("knob", (message) => this.#takeAnswer(message));
    store.on("acted", (message) => this.#takeActed(message));
    store.on("refused", (message) => this.#takeRefusal(message));
    store.on("dropped", (message) => this.#takeDropped(message));
    store.on("connection", (state) => this.#connection(state));
    store.on("shown", ({ run }) => this.#takeShown(run));
  }

  /**
   * Adopt the page's values. They are older than any values from the server, so ignore them once the server has sent
   * its values.
   */
  assume(values) {
    if (this.#greeted) return;
    this.values = values;
    this.emit("values");
  }

  /**
   * Set these knobs after the first hello message of this run, because the reader changed them before the page had the
   * run.
   */
  carry(values) {
    for (const [knob, value] of Object.entries(values)) this.#waiting.set(knob, { knob, value, drag: 0 });
  }

  /**
   * Return the value that a control shows: the value set in this browser until the server has replied, and otherwise
   * the run's value.
   */
  shown(knob) {
    if (this.rewound?.values.has(knob)) return this.rewound.values.get(knob);
    const set = this.#unanswered(knob);
    return set ? set.value : this.values[knob];
  }

  /**
   * Return whether the value that a control shows may not have reached this run, because the connection was lost or the
   * tab is about to show another run.
   */
  isPending(knob) {
    if (this.rewound?.asked && this.rewound.values.has(knob)) return true;
    return (this.lost || this.#elsewhere) && this.#unanswered(knob) !== undefined;
  }

  #unanswered(knob) {
    return this.#waiting.get(knob) ?? this.#sent.findLast((one) => one.knob === knob);
  }

  /**
   * While the server advances the run without frames, return the knob's value in the newest frame. Return null if the
   * run is not being advanced in this way, or if the knob has been set in this browser since.
   */
  valueInFrame(knob) {
    const value = this.rewound?.valueInFrame(knob) ?? null;
    if (value === null) this.#byHand.delete(knob);
    return this.#byHand.has(knob) ? null : value;
  }

  /** Return a knob's value at the displayed past step, as {value, step}, or null if it equals the present value. */
  pastValue(knob) {
    return this.rewound?.pastValue(knob) ?? null;
  }

  /** Return whether the server has replied to all settings of this browser. */
  get settled() {
    return !this.#waiting.size && !this.#sent.length && !this.#elsewhere;
  }

  /** Return the number of the newest setting that had taken effect in the frame of a step, or 0 if there is none. */
  actingAt(step) {
    return this.answers.findLast(([, from]) => from < step)?.[0] ?? 0;
  }

  /** Return a new number for a gesture. A gesture is one drag, or one key that is held down. */
  gesture() {
    return ++this.#gestures;
  }

  /**
   * Set a knob. If values come faster than they may be sent, only the newest value of each knob is sent. Values that
   * are set before the first hello message are sent after it.
   *
   * @param drag number of the gesture, or 0 for a single setting
   */
  setKnob(knob, value, drag = 0) {
    if (this.lost) return;
    this.#byHand.add(knob);
    if (!this.connected || !this.rewound?.setKnob(knob, value)) this.#waiting.set(knob, { knob, value, drag });
    this.emit("values");
    this.#sendSoon();
  }

  /**
   * Send an action (see bnviz/actions.py). The action applies to the newest step, so a page that shows a past step
   * returns to the newest one.
   */
  act(action, value) {
    if (!this.connected) return;
    this.rewound?.goLive();
    this.#actions += 1;
    this.#waiting.set(`${action} ${this.#actions}`, { action, value });
    this.#sendSoon();
  }

  /**
   * Hold back all settings, or release and send them. While a class discusses a question, its run is paused, and a
   * changed knob would resume the run.
   */
  hold(held) {
    if (this.#held === held) return;
    this.#held = held;
    if (!held) this.#sendSoon();
  }

  /** Discard the settings that were held back, so that controls show the run's values again. */
  takeBack() {
    if (!this.#held || !this.#waiting.size) return;
    this.#waiting.clear();
    this.emit("values");
  }

  #sendSoon() {
    if (this.#held || !this.connected || !this.#waiting.size) return;
    const wait = this.#sentAt + APART - performance.now();
    if (wait <= 0) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), wait);
  }

  /** Send the setting that has waited longest. */
  #send() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const [next] = this.#waiting;
    if (!next) return;
    const [key, set] = next;
    this.#waiting.delete(key);
    this.#number += 1;
    this.#sent.push({ n: this.#number, ...set });
    this.#sentAt = performance.now();
    this.#store.send({ type: set.action ? "action" : "knob", n: this.#number, ...set });
    this.#sendSoon();
  }

  #connection(state) {
    if (state === "open") return; // a hello follows
    this.connected = false;
    this.lost = true;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.emit("values");
  }

  /**
   * Discard all settings that were not sent yet or have no reply yet. After a lost connection, the next hello message
   * contains the run's values.
   */
  #forget() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting.clear();
    this.#sent = [];
  }

  /** Handle a hello message, which arrives with each connection and when the run starts over. */
  #takeHello({ knobs, can_control: allowed }) {
    const again = this.lost && this.#greeted;
    const unanswered = again && !this.#elsewhere ? [...this.#sent, ...this.#waiting.values()] : [];
    if (again) this.#forget();
    // if the tab is still about to show another run, the server reports that again
    if (this.lost) this.#elsewhere = false;
    this.connected = true;
    this.lost = false;
    this.allowed = allowed ?? null;
    this.#greeted = Boolean(knobs);
    for (const knob of this.#waiting.keys()) this.#byHand.add(knob);
    if (knobs) this.#takeValues(knobs);
    else this.emit("values");
    this.#tellLost(unanswered);
    this.#sendSoon();
  }

  /**
   * For each knob or action whose last setting got no reply before the connection was lost, report the loss, unless the
   * run has the value.
   */
  #tellLost(unanswered) {
    const last = new Map(unanswered.map((one) => [one.knob ?? one.action, one]));
    for (const [name, { knob, value }] of last) {
      const has = knob && sameValue(this.values[knob], value);
      if (!has) this.emit("refused", { knob: name, phrase: { key: "knob.unanswered", values: {} } });
    }
  }

  #takeValues({ values }) {
    this.values = { ...this.values, ...values };
    this.emit("values");
  }

  /** Handle a reply to setting number n, which also confirms all earlier settings. */
  #takeAnswer({ n, knob, value, step }) {
    if (this.#elsewhere) return; // the next run has this value, but this run may not have it
    const answered = this.#sent.filter((sent) => sent.n <= n);
    this.#sent = this.#sent.filter((sent) => sent.n > n);
    for (const sent of answered) if (sent.knob) this.values = { ...this.values, [sent.knob]: sent.value };
    this.values = { ...this.values, [knob]: value };
    this.answers = [...this.answers.slice(1 - MOST_CONFIRMATIONS), [n, step]];
    this.emit("values");
  }

  /**
   * Remove setting number n from the sent settings, because the server has replied to it.
   *
   * @returns the setting, or undefined if this browser did not send it
   */
  #answered(n) {
    const answered = this.#sent.find((sent) => sent.n === n);
    this.#sent = this.#sent.filter((sent) => sent !== answered);
    return answered;
  }

  #takeActed({ n, action, value, step }) {
    this.#answered(n);
    this.emit("acted", { action, value, step });
  }

  #takeRefusal({ n, knob, value, message, phrase }) {
    const refused = this.#answered(n);
    if (!refused?.action && !this.#elsewhere) this.values = { ...this.values, [knob]: value };
    this.emit("values");
    this.emit("refused", { knob, message, phrase });
  }

  /** Record whether this tab's script has moved to another run, which the page will show soon. */
  #takeShown(run) {
    const elsewhere = run !== this.#store.run;
    if (this.#elsewhere && !elsewhere) this.#forget();
    this.#elsewhere = elsewhere;
    this.emit("values");
  }

  /**
   * Handle the message that a setting was dropped. The run was reset or has failed, so a "knobs" or "hello" message
   * will bring the values.
   */
  #takeDropped({ n }) {
    this.#answered(n);
    this.emit("values");
  }

  /**
   * Send the remaining settings if possible, and stop this link.
   * @returns the knobs that were set while a new run with changed knobs was being started, as {name: value}
   */
  close() {
    // Send the waiting settings now, while the server still assigns them to this run.
    while (this.connected && !this.#held && this.#waiting.size) this.#send();
    this.#forget();
    const later = this.rewound?.close() ?? {};
    this.clear();
    return later;
  }
}

/**
 * Return the knobs used for the frame of a step. A change at a step takes effect in the next step.
 *
 * @param initial the run's knobs before any change
 */
export function knobsAt(initial, changes, step) {
  // A shared learning rate replaces the learning rates of the single networks.
  const shared = (values) => ("learning_rate" in values ? { learning_rates: null } : {});
  return changes.filter((change) => change.step < step)
    .reduce((values, change) => ({ ...values, ...shared(change.values), ...change.values }), initial);
}
