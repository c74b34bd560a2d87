// A talk: which station this is, and the keys of a presenter's clicker, PageDown and PageUp. They come
// to whatever has the focus, a knob as well, so they are heard before it.

import { button, fill, h, setHidden, setText } from "./lib/dom.js";

const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], dialog[open]";
const WAYS = { PageDown: 1, PageUp: -1 };
const ARROWS = { ArrowRight: 1, ArrowLeft: -1 }; // of other clickers
const GOES_ON = new Set(["running", "paused"]);
const TAKES_ARROWS = "input, [tabindex='0'], [role=radiogroup]";

export class Talk {
  element = h("div", { class: "bnviz-talk", role: "group", hidden: true });
  says = h("p", { class: "bnviz-talk-says", hidden: true });
  #view;
  #keys = (event) => this.#key(event);
  #station = null; // that stands there, and its run
  #chart = null; // that is to stand below the networks
  #awaits = false; // what is done on arrival waits for its moment
  #advances = null; // the step to which the run was told to go
  #asked = null; // the station that was asked for, until it has come

  constructor(view) {
    this.#view = view;
    this.back = button("‹", () => this.walk(-1));
    this.next = button("›", () => this.walk(1));
    this.place = h("b", {});
    this.title = h("span", {});
    fill(this.element, this.back, this.place, " ", this.title, this.next);
    document.addEventListener("keydown", this.#keys, true);
  }

  get #talk() {
    return this.#view.data.talk ?? null;
  }

  update() {
    const talk = this.#talk;
    setHidden(this.element, !talk);
    setHidden(this.says, !talk);
    if (!talk) {
      this.#station = null;
      return;
    }
    const { t, data } = this.#view;
    const { number, titles } = talk;
    if (!this.#view.script.waiting) this.#asked = null; // else there are stations still to come
    setText(this.place, t("talks.of", { number, count: titles.length }));
    setText(this.title, titles[number - 1]);
    this.title.title = talk.say;
    this.element.setAttribute("aria-label", t("talks.label", { title: talk.title }));
    this.#way(this.back, "back", titles[number - 2]);
    this.#way(this.next, "next", titles[number]);
    fill(this.says, h("b", {}, talk.ask), ` ${talk.say}`);
    const station = `${number} ${data.run}`;
    if (station === this.#station) return;
    this.#chart = talk.chart;
    this.#advances = null;
    this.#awaits = talk.does === "show_break" && this.#station !== null;
    this.#station = station;
  }

  #way(way, key, title) {
    way.disabled = !title;
    way.title = title ? this.#view.t(`talks.${key}`, { title }) : "";
    way.setAttribute("aria-label", way.title);
  }

  /** The step to which a press takes the run, as long as it is on its way; else null. */
  get goesTo() {
    const step = this.#view.store?.live?.step;
    return this.#talk && this.#advances !== null && step < this.#advances ? this.#advances : null;
  }

  #key(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    const way = WAYS[event.key] ?? (target.closest(TAKES_ARROWS) ? null : ARROWS[event.key]);
    if (!way || !this.#talk || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.closest(TYPING)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat || (way > 0 && (this.#view.question.goOn() || this.#stays()))) return;
    this.walk(way);
  }

  /**
   * A station that waits is played before it is left, and then taken to the step at which its question is answered;
   * so is any other for a class that has voted.
   *
   * @returns whether that was still to be done
   */
  #stays() {
    const { transport, question, script, store } = this.#view;
    const { number, waits } = this.#talk;
    const step = store?.live?.step;
    if (this.#asked !== null || step === undefined || !GOES_ON.has(store.status)) return false;
    const until = question.awaited(number + 1) ?? waits;
    if (step >= until) return false;
    if (step === 0 && !transport.playing) question.play() || this.#view.act("play");
    else if (!script.waiting || this.#advances !== until) {
      this.#advances = until;
      transport.tell();
      this.#view.act("advance", { step: until });
    }
    return true;
  }

  /** One station on or back. A second press before it has come goes further. */
  walk(way) {
    const talk = this.#talk;
    const number = (this.#asked ?? talk?.number) + way;
    if (!talk || !talk.titles[number - 1] || this.#view.question.holds(number)) return;
    this.#asked = number;
    this.#view.act("station", { number });
  }

  /** The chart that the station speaks of, and the break that it shows: once there is one. */
  draw({ store }) {
    const { charts, stage } = this.#view;
    if (stage && charts.panels.has(this.#chart)) {
      charts.put(this.#chart);
      this.#chart = null;
    }
    if (!this.#awaits) return;
    const [first] = Object.values(store.breaks).sort((a, b) => a.step - b.step);
    if (!first) return;
    this.#awaits = false;
    this.#view.time.playAround(first.step);
  }

  destroy() {
    document.removeEventListener("keydown", this.#keys, true);
  }
}
