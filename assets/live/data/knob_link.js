// Live knobs of a run: the run's values, the values set here that the server has not confirmed yet, and knobs set while
// the page shows the past.

import { Emitter } from "../lib/emitter.js";
import { sameValue } from "../lib/live_actions.js";

const APART = 34; // ms between two messages; the server accepts slightly more
const MOST_CONFIRMATIONS = 100; // maximum number of the server's replies that are remembered

/**
 * One run's live knobs. Emits "values" when anything shown may have changed, "refused" with {knob, message,
 * phrase}, and "acted" with {action, value, step} when an action was done.
 */
export class KnobLink extends Emitter {
  /** The run's values. Until the server has sent them, they come from the page. */
  values;
  connected = false;
  /** Whether the connection was lost. */
  lost = false;
  /** Whether the server accepts knobs from this browser, or null until the server has said so. */
  allowed = null;
  /** [n, step] of the server's replies, newest last: setting n acts from this step on. */
  answers = [];
  /** The `RewoundKnobs` of the view, or null if knobs always act on the newest step. */
  rewound = null;
  #store;
  #number = 0; // number of the setting sent last
  #gestures = 0;
  #byHand = new Set(); // knobs set here while the server advances the run
  // settings not sent yet: knob → {knob, value, drag}; an action has a unique key → {action, value}
  #waiting = new Map();
  #sent = []; // settings without a reply, each with its number n
  #actions = 0; // number of actions so far, for unique keys
  #sentAt = -Infinity;
  #timer = null;
  #held = false;
  #greeted = false; // whether the server has sent the values
  #elsewhere = false; // whether the tab is about to show another run; knobs set now belong to that run

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

  /** Adopt the page's values, which are older than any values from the server. */
  assume(values) {
    if (this.#greeted) return;
    this.values = values;
    this.emit("values");
  }

  /** Set these knobs after the first hello of this run, because the reader changed them before the run arrived. */
  carry(values) {
    for (const [knob, value] of Object.entries(values)) this.#waiting.set(knob, { knob, value, drag: 0 });
  }

  /** Value that a control shows: the value set here until the server has replied, or else the run's value. */
  shown(knob) {
    if (this.rewound?.values.has(knob)) return this.rewound.values.get(knob);
    const set = this.#unanswered(knob);
    return set ? set.value : this.values[knob];
  }

  /**
   * Return whether this run may lack the value that a control shows, because the connection was lost or the next run is
   * on its way.
   */
  isPending(knob) {
    if (this.rewound?.asked && this.rewound.values.has(knob)) return true;
    return (this.lost || this.#elsewhere) && this.#unanswered(knob) !== undefined;
  }

  #unanswered(knob) {
    return this.#waiting.get(knob) ?? this.#sent.findLast((one) => one.knob === knob);
  }

  /**
   * While the server advances the run without frames, return the value used for the newest frame. Return null if the
   * run is not being advanced or the knob has been set here since.
   */
  valueInFrame(knob) {
    const value = this.rewound?.valueInFrame(knob) ?? null;
    if (value === null) this.#byHand.delete(knob);
    return this.#byHand.has(knob) ? null : value;
  }

  /** Value at the past step shown, {value, step}, or null if it equals the present value. */
  pastValue(knob) {
    return this.rewound?.pastValue(knob) ?? null;
  }

  /** Return whether the server has replied to everything that was set here. */
  get settled() {
    return !this.#waiting.size && !this.#sent.length && !this.#elsewhere;
  }

  /** Number of the newest setting that acted in the frame of a step, or 0 for none. */
  actingAt(step) {
    return this.answers.findLast(([, from]) => from < step)?.[0] ?? 0;
  }

  /** Return a new number for a gesture: one drag, or one key held down. */
  gesture() {
    return ++this.#gestures;
  }

  /**
   * Set a knob. If values come faster than they may be sent, only the newest value of each knob is sent. Values set
   * before the first hello wait for it.
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

  /** Send an action (see bnviz/actions.py). It acts on the newest step, so a page that shows the past goes live. */
  act(action, value) {
    if (!this.connected) return;
    this.rewound?.goLive();
    this.#actions += 1;
    this.#waiting.set(`${action} ${this.#actions}`, { action, value });
    this.#sendSoon();
  }

  /**
   * Hold back all settings, or release and send them. While a class discusses, its run is paused, and a changed knob
   * would resume the run.
   */
  hold(held) {
    if (this.#held === held) return;
    this.#held = held;
    if (!held) this.#sendSoon();
  }

  /** Drop the settings that were held back, so that controls show the run's values again. */
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

  /** Drop all waiting and sent settings. After a lost connection, the next hello contains the run's values. */
  #forget() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting.clear();
    this.#sent = [];
  }

  /** Handle a hello, which arrives with each connection and when the run starts over. */
  #takeHello({ knobs, can_control: allowed }) {
    const again = this.lost && this.#greeted;
    const unanswered = again && !this.#elsewhere ? [...this.#sent, ...this.#waiting.values()] : [];
    if (again) this.#forget();
    if (this.lost) this.#elsewhere = false; // if the tab still shows another run, the server reports that again
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

  /** Report each setting whose last message got no reply before a loss, unless the run has its value. */
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

  /** Handle a reply to setting n, which also confirms all earlier settings. */
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
   * Remove setting n from the sent settings, because the server has replied.
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

  /** Record whether the script of this tab shows another run, which the page will show soon. */
  #takeShown(run) {
    const elsewhere = run !== this.#store.run;
    if (this.#elsewhere && !elsewhere) this.#forget();
    this.#elsewhere = elsewhere;
    this.emit("values");
  }

  /** Handle a dropped setting. The run was reset or has failed, so `knobs` or `hello` will bring the values. */
  #takeDropped({ n }) {
    this.#answered(n);
    this.emit("values");
  }

  /** @returns knobs that were set while a fork was on its way, by name */
  close() {
    // Send the waiting settings now: the server knows to which run they belong.
    while (this.connected && !this.#held && this.#waiting.size) this.#send();
    this.#forget();
    const later = this.rewound?.close() ?? {};
    this.clear();
    return later;
  }
}

/**
 * Knobs used for the frame of a step. A change acts from the step after its own.
 *
 * @param initial the run's knobs before any change
 */
export function knobsAt(initial, changes, step) {
  // A shared learning rate replaces the learning rates of the single networks.
  const shared = (values) => ("learning_rate" in values ? { learning_rates: null } : {});
  return changes.filter((change) => change.step < step)
    .reduce((values, change) => ({ ...values, ...shared(change.values), ...change.values }), initial);
}
