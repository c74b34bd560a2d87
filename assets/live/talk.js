// Bar of a talk. It shows the stops of the talk and handles the keys of a presenter's clicker. The key listener runs in
// the capture phase, so that it receives PageDown and PageUp before a focused knob does.

import { classroom } from "../contract.js";
import { button, fill, h, modified, setHidden, setText } from "./lib/dom.js";
import { takesKeys } from "./lib/keyboard_focus.js";
import { NotesWindow } from "./notes_window.js";

const CLICKER = { PageDown: 1, PageUp: -1 };
const ARROWS = { ArrowRight: 1, ArrowLeft: -1 }; // arrow keys that some clickers send
const GOES_ON = new Set(["running", "paused"]); // statuses of a run that can take steps
const USES_ARROWS = "input, [tabindex='0'], [role=radiogroup]";

export class TalkBar {
  element = h("div.bnviz-talk", { role: "group", hidden: true });
  says = h("p.bnviz-talk-says", { hidden: true });
  #view;
  #notes; // their window
  #station = null; // text with the number of the current stop and the id of its run
  #chart = null; // chart that the stop requests, until it is drawn below the networks
  #waitsForBreak = false; // whether the stop shows a break that has not happened yet
  #advances = null; // step to which a clicker key advances the run, or null
  #asked = null; // number of the requested stop, until it arrives

  constructor(view) {
    this.#view = view;
    this.back = button("‹", () => this.walk(-1));
    this.next = button("›", () => this.walk(1));
    this.notes = button("", () => this.#notes.open(), { className: "bnviz-talk-notes" });
    this.place = h("b");
    this.title = h("span");
    this.#notes = new NotesWindow(view, (way) => this.#press(way));
    fill(this.element, this.back, this.place, " ", this.title, this.next, this.notes);
    document.addEventListener("keydown", (event) => this.#key(event), { capture: true, signal: view.signal });
  }

  get #talk() {
    return this.#view.data.talk ?? null;
  }

  update() {
    const talk = this.#talk;
    setHidden(this.element, !talk);
    setHidden(this.says, !talk);
    this.#notes.update(talk);
    if (!talk) {
      this.#station = null;
      return;
    }
    const { t, data } = this.#view;
    const { number, titles } = talk;
    if (!this.#view.script.waiting) this.#asked = null; // while commands have not been answered, keep the request
    setText(this.place, t("talks.of", { number, count: titles.length }));
    setText(this.title, titles[number - 1]);
    this.title.title = talk.say;
    setText(this.notes, t("talks.notes"));
    this.notes.title = t("talks.notes_help");
    this.element.setAttribute("aria-label", t("talks.label", { title: talk.title }));
    this.#setButton(this.back, "back", titles[number - 2]);
    this.#setButton(this.next, "next", titles[number]);
    const lettered = talk.answers.flatMap((answer, i) => [" ", h("span.bnviz-talk-answer", h("b", classroom.letters[i]), ` ${answer}`)]);
    fill(this.says, h("b", talk.ask), lettered, talk.say && `${talk.answers.length ? " · " : " "}${talk.say}`);
    const station = `${number} ${data.run}`;
    if (station === this.#station) return;
    this.#chart = talk.chart;
    this.#advances = null;
    this.#waitsForBreak = talk.does === "show_break" && this.#station !== null;
    this.#station = station;
  }

  #setButton(control, key, title) {
    control.disabled = !title;
    control.title = title ? this.#view.t(`talks.${key}`, { title }) : "";
    control.setAttribute("aria-label", control.title);
  }

  /** Step to which the run still has to advance, or null if there is none or the run has reached it. */
  get goesTo() {
    const step = this.#view.store?.live?.step;
    return this.#talk && this.#advances !== null && step < this.#advances ? this.#advances : null;
  }

  #key(event) {
    const target = event.target instanceof Element ? event.target : document.body;
    const way = CLICKER[event.key] ?? (target.closest(USES_ARROWS) ? null : ARROWS[event.key]);
    const notes = event.key === "n";
    if (!(way || notes) || !this.#talk || modified(event) || event.shiftKey) return;
    if (takesKeys(target)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    if (notes) this.#notes.open();
    else this.#press(way);
  }

  /** Handle a clicker key, pressed on this page or in the notes window. */
  #press(way) {
    if (this.#view.scriptConnection?.away) return;
    if (way > 0 && (this.#view.question.goOn() || this.#playsFirst())) return;
    this.walk(way);
  }

  /**
   * Play the run before leaving the stop. If the class has voted and leaving would discard its question, play up to the
   * step that decides the answer. Otherwise, play up to the step at which the stop's own question is answered.
   * @returns whether any steps were left to play
   */
  #playsFirst() {
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

  /** Go to the next or the previous stop. A second press before that stop arrives moves one stop further. */
  walk(way) {
    const talk = this.#talk;
    const number = (this.#asked ?? talk?.number) + way;
    if (!talk || this.#view.scriptConnection?.away || !talk.titles[number - 1] || this.#view.question.holds(number)) return;
    this.#asked = number;
    this.#view.act("station", { number });
  }

  /** Show the stop's chart and the break that the stop is about, as soon as they exist. */
  draw({ store }) {
    const { charts, stage } = this.#view;
    if (stage && charts.panels.has(this.#chart)) {
      charts.put(this.#chart);
      this.#chart = null;
    }
    if (!this.#waitsForBreak) return;
    const [first] = Object.values(store.breaks).sort((a, b) => a.step - b.step);
    if (!first) return;
    this.#waitsForBreak = false;
    this.#view.time.playAround(first.step);
  }

  destroy() {
    this.#notes.destroy();
  }
}
