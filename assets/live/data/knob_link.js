// The live knobs of a run: what the run has, what the hand wants, and what is on its way between them.

import { Emitter } from "../lib/emitter.js";

const APART = 34; // ms between two values on their way: the server takes 30 a second
const KEPT = 100; // answers remembered

/** Emits "values" when anything to show may have changed, and "refused" with {knob, message}. */
export class KnobLink extends Emitter {
  /** The run's values: the page's word until the server's comes. */
  values;
  connected = false;
  /** Whether there was a connection, and it ended. */
  lost = false;
  /** Whether the server takes knobs from this browser; null before it has said so. */
  allowed = null;
  /** [n, step] of the answers so far, the newest last; the oldest are forgotten. */
  answers = [];
  /** Knobs that are moved while the page is rewound (rewound_knobs.js); null: there is no such thing. */
  aside = null;
  #store;
  #number = 0;
  #gestures = 0;
  #byHand = new Set(); // knobs that were set here while the run is on its way: they show what the hand wants
  #wanted = new Map(); // knob → {value, drag} that waits for its turn
  #underway = []; // {n, knob, value} sent, not answered
  #sentAt = -Infinity;
  #timer = null;
  #held = false;
  #greeted = false;

  constructor(store, values) {
    super();
    this.#store = store;
    this.values = values;
    store.on("hello", (message) => this.#greet(message));
    store.on("knobs", (message) => this.#told(message));
    store.on("knob", (message) => this.#answered(message));
    store.on("refused", (message) => this.#refused(message));
    store.on("connection", (state) => this.#connection(state));
  }

  /** The page's own word on the values; it is older than anything the server says. */
  assume(values) {
    if (this.#greeted) return;
    this.values = values;
    this.emit("values");
  }

  /** What a control shows of a knob: what the hand wants, until the server has answered. */
  shown(knob) {
    if (this.aside?.has(knob)) return this.aside.get(knob);
    if (this.#wanted.has(knob)) return this.#wanted.get(knob).value;
    const sent = this.#underway.findLast((one) => one.knob === knob);
    return sent ? sent.value : this.values[knob];
  }

  /** What a control shows while a run is on its way to a later step: what the newest one was made with; else null. */
  onWay(knob) {
    const then = this.aside?.onWay(knob) ?? null;
    if (then === null) this.#byHand.delete(knob);
    return this.#byHand.has(knob) ? null : then;
  }

  /** What a knob was at the step shown, where that is another value than now: {value, step}; else null. */
  past(knob) {
    return this.aside?.past(knob) ?? null;
  }

  /** Whether the server has answered everything that was set here. */
  get settled() {
    return !this.#wanted.size && !this.#underway.length;
  }

  /** The number of the newest setting that a step's frame was computed with; 0: of none. */
  actingAt(step) {
    return this.answers.findLast(([, from]) => from < step)?.[0] ?? 0;
  }

  /** A number for one gesture: a drag, or a key that is held. */
  gesture() {
    this.#gestures += 1;
    return this.#gestures;
  }

  /**
   * Set a knob. Of values that come faster than they may be sent the last one is, always.
   *
   * @param drag the gesture it belongs to; 0: it is a single setting
   */
  set(knob, value, drag = 0) {
    if (!this.connected) return;
    this.#byHand.add(knob);
    if (this.aside?.take(knob, value)) return this.emit("values");
    this.#wanted.set(knob, { value, drag });
    this.emit("values");
    this.#sendSoon();
  }

  /** Whether what is set waits here until it is let go: a change would have a paused run go on. */
  hold(held) {
    if (this.#held === held) return;
    this.#held = held;
    if (!held && this.#wanted.size) this.#sendSoon();
  }

  /** What was set while it was held never acts: the controls go back to what the run has. */
  takeBack() {
    if (!this.#held || !this.#wanted.size) return;
    this.#wanted.clear();
    this.emit("values");
  }

  #sendSoon() {
    if (this.#held) return;
    const wait = this.#sentAt + APART - performance.now();
    if (wait <= 0) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), wait);
  }

  /** Send what waited longest; the rest takes its turn. */
  #send() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const [next] = this.#wanted;
    if (!next) return;
    const [knob, { value, drag }] = next;
    this.#wanted.delete(knob);
    this.#number += 1;
    this.#underway.push({ n: this.#number, knob, value });
    this.#sentAt = performance.now();
    this.#store.send({ type: "knob", n: this.#number, knob, value, drag });
    if (this.#wanted.size) this.#sendSoon();
  }

  #connection(state) {
    if (state === "open") return; // the greeting says the rest
    this.connected = false;
    this.lost = true;
    this.#forget();
    this.emit("values");
  }

  /** What was underway when a connection ended is void: the next greeting says what the run has. */
  #forget() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#wanted.clear();
    this.#underway = [];
  }

  /** A run that starts over greets again: what is underway then is part of its new start. */
  #greet({ knobs, can_control: allowed }) {
    this.connected = true;
    this.lost = false;
    this.allowed = allowed ?? null;
    this.#greeted = Boolean(knobs);
    if (knobs) this.#told(knobs);
    else this.emit("values");
  }

  #told({ values }) {
    this.values = { ...this.values, ...values };
    this.emit("values");
  }

  /** An answer speaks for every value sent before it, too. */
  #answered({ n, knob, value, step }) {
    const over = this.#underway.filter((sent) => sent.n <= n);
    this.#underway = this.#underway.filter((sent) => sent.n > n);
    for (const sent of over) this.values = { ...this.values, [sent.knob]: sent.value };
    this.values = { ...this.values, [knob]: value };
    this.answers = [...this.answers.slice(1 - KEPT), [n, step]];
    this.emit("values");
  }

  #refused({ n, knob, value, message, phrase }) {
    this.#underway = this.#underway.filter((sent) => sent.n !== n);
    this.values = { ...this.values, [knob]: value };
    this.emit("values");
    this.emit("refused", { knob, message, phrase });
  }

  close() {
    this.#forget();
    this.aside?.close();
    this.clear();
  }
}
