// The live knobs of a run: the run's values, the values set here that wait or are on their way to the server, and
// knobs set while the page shows the past.

import { Emitter } from "../lib/emitter.js";
import { sameValue } from "../lib/live_actions.js";

const APART = 34; // ms between two messages; the server takes some more
const MOST_CONFIRMATIONS = 100; // answers of the server that are remembered
const REST = 600; // ms without a further change before knobs set in the past start a new run

/**
 * One run's live knobs. Emits "values" when anything shown may have changed, "refused" with {knob, message,
 * phrase}, and "acted" with {action, value, step} when an action was done.
 */
export class KnobLink extends Emitter {
  /** The run's values: from the page until the server has told them. */
  values;
  connected = false;
  /** Whether the connection was lost. */
  lost = false;
  /** Whether the server accepts knobs from this browser; null until it has told. */
  allowed = null;
  /** [n, step] of the server's answers, the newest last: from which step on setting n acts. */
  answers = [];
  /** The `RewoundKnobs` of the view; null where knobs always act on the newest step. */
  rewound = null;
  #store;
  #number = 0; // of the setting sent last
  #gestures = 0;
  #byHand = new Set(); // knobs set here while the server advances the run
  #waiting = new Map(); // knob → {knob, value, drag}, not sent yet; of an action a key of its own → {action, value}
  #sent = []; // the same, each with its number n, not answered yet
  #actions = 0; // how many were asked for
  #sentAt = -Infinity;
  #timer = null;
  #held = false;
  #greeted = false; // whether the server has told the values
  #elsewhere = false; // whether the tab is about to show another run, in which knobs are set now

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

  /** Take the page's values, which are older than anything that the server tells. */
  assume(values) {
    if (this.#greeted) return;
    this.values = values;
    this.emit("values");
  }

  /** Set these knobs after the first hello of this run: the reader moved them before the run arrived. */
  carry(values) {
    for (const [knob, value] of Object.entries(values)) this.#waiting.set(knob, { knob, value, drag: 0 });
  }

  /** The value that a control shows: the one set here until the server has answered, else the run's. */
  shown(knob) {
    if (this.rewound?.values.has(knob)) return this.rewound.values.get(knob);
    const set = this.#unanswered(knob);
    return set ? set.value : this.values[knob];
  }

  /** Whether this run may lack the value that a control shows: the connection was lost, or the next run is on its way. */
  isPending(knob) {
    if (this.rewound?.asked && this.rewound.values.has(knob)) return true;
    return (this.lost || this.#elsewhere) && this.#unanswered(knob) !== undefined;
  }

  #unanswered(knob) {
    return this.#waiting.get(knob) ?? this.#sent.findLast((one) => one.knob === knob);
  }

  /**
   * While the server advances the run without frames: the value with which the newest frame was computed.
   * Null when the run is not being advanced, or the knob was set here meanwhile.
   */
  valueInFrame(knob) {
    const value = this.rewound?.valueInFrame(knob) ?? null;
    if (value === null) this.#byHand.delete(knob);
    return this.#byHand.has(knob) ? null : value;
  }

  /** The value at the past step shown, {value, step}; null when it is the same as now. */
  pastValue(knob) {
    return this.rewound?.pastValue(knob) ?? null;
  }

  /** Whether the server has answered everything that was set here. */
  get settled() {
    return !this.#waiting.size && !this.#sent.length && !this.#elsewhere;
  }

  /** The number of the newest setting that acted in the frame of a step; 0: none. */
  actingAt(step) {
    return this.answers.findLast(([, from]) => from < step)?.[0] ?? 0;
  }

  /** A new number for a gesture: one drag, or one key held down. */
  gesture() {
    return ++this.#gestures;
  }

  /**
   * Set a knob. Of values that come faster than they may be sent, only the newest of each knob is sent. Those that are
   * set before the first hello wait for it.
   *
   * @param drag number of the gesture; 0: a single setting
   */
  setKnob(knob, value, drag = 0) {
    if (this.lost) return;
    this.#byHand.add(knob);
    if (!this.connected || !this.rewound?.setKnob(knob, value)) this.#waiting.set(knob, { knob, value, drag });
    this.emit("values");
    this.#sendSoon();
  }

  /** Do an action, see bnviz/actions.py. It acts on the newest step: a page that shows the past goes there. */
  act(action, value) {
    if (!this.connected) return;
    this.rewound?.goLive();
    this.#actions += 1;
    this.#waiting.set(`${action} ${this.#actions}`, { action, value });
    this.#sendSoon();
  }

  /**
   * Keep what is set from being sent, or send it now. A class thinks while its run is paused; a knob would
   * resume it.
   */
  hold(held) {
    if (this.#held === held) return;
    this.#held = held;
    if (!held) this.#sendSoon();
  }

  /** Drop what was set while it was held: controls show the run's values again. */
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

  /** Send the knob that has waited longest. */
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

  /** Drop what waits and what was sent: after a loss the next hello tells the run's values. */
  #forget() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting.clear();
    this.#sent = [];
  }

  /** A hello comes with each connection, and when the run starts over. */
  #takeHello({ knobs, can_control: allowed }) {
    const again = this.lost && this.#greeted;
    const unanswered = again && !this.#elsewhere ? [...this.#sent, ...this.#waiting.values()] : [];
    if (again) this.#forget();
    if (this.lost) this.#elsewhere = false; // else the server says so again
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

  /** Tell each row whose last message was not answered before a loss, unless the run has its value. */
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

  /** An answer to setting n answers all earlier settings as well. */
  #takeAnswer({ n, knob, value, step }) {
    if (this.#elsewhere) return; // the next run has this value, and this run may not
    const answered = this.#sent.filter((sent) => sent.n <= n);
    this.#sent = this.#sent.filter((sent) => sent.n > n);
    for (const sent of answered) if (sent.knob) this.values = { ...this.values, [sent.knob]: sent.value };
    this.values = { ...this.values, [knob]: value };
    this.answers = [...this.answers.slice(1 - MOST_CONFIRMATIONS), [n, step]];
    this.emit("values");
  }

  /** The server has answered setting n. @returns that setting, if this browser sent it */
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

  /** The run was reset or has failed: the number takes no effect, and `knobs` or `hello` tells the values. */
  #takeDropped({ n }) {
    this.#answered(n);
    this.emit("values");
  }

  /** @returns knobs that were set for a fork that was on its way, by name */
  close() {
    // The server knows which run they are for.
    while (this.connected && !this.#held && this.#waiting.size) this.#send();
    this.#forget();
    const later = this.rewound?.close() ?? {};
    this.clear();
    return later;
  }
}

/**
 * Knobs set while the page shows a past step. The run itself goes on unchanged; when the knobs are at rest, a
 * new run starts from that step with their values. Where the page allows no such forks, the page goes live
 * instead and the knob acts on the run.
 */
export class RewoundKnobs {
  #view;
  #link;
  #time;
  values = new Map(); // by knob, for the new run
  #later = new Map(); // knob → value, only knobs that were set after the page asked for the fork
  asked = false; // whether the page has asked for the fork
  #goesTo = null; // the step to which the server advances the run
  #timer = null;
  #undo;

  /** @param view the live view, whose `link` and `time` belong to the same run */
  constructor(view) {
    this.#view = view;
    this.#link = view.link;
    this.#time = view.time;
    const changed = () => this.#link.emit("values");
    const { store } = view;
    const advanced = () => {
      if (this.#goesTo === store.goesTo) return;
      this.#goesTo = store.goesTo;
      changed();
    };
    const leave = () => this.asked || this.#forget(); // Back leads to another run
    addEventListener("popstate", leave);
    this.#undo = [() => removeEventListener("popstate", leave), this.#time.on("mode", changed), this.#time.on("shown", changed), ...["hello", "series", "frame"].map((name) => store.on(name, advanced))];
  }

  /** The step from which a knob set now starts a new run; null: it acts on this run. */
  get step() {
    const { data, pageLayout } = this.#view;
    if (pageLayout || !data.can_control || !this.#time.rewound) return null;
    return this.#view.scene()?.step ?? null;
  }

  /** Show the newest step. */
  goLive() {
    if (this.#time.rewound) this.#time.live();
  }

  /** See `KnobLink.pastValue`. */
  pastValue(knob) {
    const { store } = this.#view;
    const scene = this.#view.scene();
    if (!scene?.rewound || !store.initial) return null;
    const value = knobsAt(store.initial, store.changes, scene.step)[knob] ?? null;
    return sameValue(value, this.#link.values[knob]) ? null : { value, step: scene.step };
  }

  /** The value with which the newest frame was computed, while the server advances the run; else null. */
  valueInFrame(knob) {
    const { store } = this.#view;
    if (store.goesTo === null || !store.initial) return null;
    return knobsAt(store.initial, store.changes, store.live.step)[knob] ?? null;
  }

  /** Take a value for the new run. @returns false where it is for this run */
  setKnob(knob, value) {
    if (!this.asked && !this.#time.rewound) return false;
    if (!this.asked && this.step === null) {
      this.#time.live(); // its effect is seen in the newest frame
      return false;
    }
    this.values.set(knob, value);
    if (this.asked) this.#later.set(knob, value);
    else this.#forkSoon();
    return true;
  }

  #forkSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fork(), REST);
  }

  #fork() {
    if (document.querySelector("input[type=range]:active")) return this.#forkSoon(); // a slider is being dragged
    const { step } = this;
    if (step === null) return this.#forget();
    this.asked = true;
    this.#view.act("fork", { step, changed_knobs: Object.fromEntries(this.values) });
  }

  /** Forget the knobs if the script has run and the page shows the same run, because the fork was refused. */
  settle() {
    if (this.asked && !this.#view.script.waiting) this.#forget();
  }

  #forget() {
    clearTimeout(this.#timer);
    this.asked = false;
    this.values.clear();
    this.#later.clear();
    this.#link.emit("values");
  }

  /** @returns knobs that were set while the new run was on its way, by name */
  close() {
    clearTimeout(this.#timer);
    for (const undo of this.#undo) undo?.();
    return Object.fromEntries(this.#later);
  }
}

/**
 * The knobs with which the frame of a step was computed. A change acts from the step after its own.
 *
 * @param initial the run's knobs before any change
 */
export function knobsAt(initial, changes, step) {
  // A shared learning rate replaces those of the single networks.
  const shared = (values) => ("learning_rate" in values ? { learning_rates: null } : {});
  return changes.filter((change) => change.step < step)
    .reduce((values, change) => ({ ...values, ...shared(change.values), ...change.values }), initial);
}
