// The one polite live region. It speaks of changes of state: what was last said of each network and of
// the run, at most once in five seconds; what changed meanwhile is said in its newest words.

import { h } from "../lib/dom.js";
import { capitalize, tellStory } from "../lib/texts.js";

const PAUSE = 5000; // ms between two announcements
const SETTLED = 1000; // ms after which the newest frame is here: word of a pause overtakes the last ones
// What every network goes through at first is no news; still at chance at this step is.
const SILENT = new Set(["not_started", "at_chance_one", "leaving_chance"]);
const STILL = 50;

export class Announcer {
  element = h("div", { class: "bnviz-hidden", role: "status", "aria-live": "polite" });
  #view;
  #news = new Map(); // by topic: {word, text}, what is to be said next
  #known = new Map(); // by topic: the word that is known to the reader
  #spoke = -Infinity;
  #timer = null;

  constructor(view) {
    this.#view = view;
  }

  /**
   * Say something at the next chance.
   *
   * @param text a sentence, or a function that gives it when it is said
   * @param topic what it is about: a newer word on the same takes its place
   * @param word what makes it news: the same word twice is none
   */
  say(text, topic = "", word = text) {
    if (this.#known.get(topic) === word) {
      this.#news.delete(topic); // it is again as it was said
      return;
    }
    this.#news.set(topic, { word, text });
    const wait = Math.max(SETTLED, this.#spoke + PAUSE - performance.now());
    this.#timer ??= setTimeout(() => this.#speak(), wait);
  }

  #speak() {
    this.#timer = null;
    if (!this.#news.size) return;
    this.#spoke = performance.now();
    for (const [topic, { word }] of this.#news) this.#known.set(topic, word);
    const said = [...this.#news.values()].map(({ text }) => (typeof text === "function" ? text() : text));
    this.#news.clear();
    this.element.textContent = said.join(" ");
  }

  /** Compare with what was said last. */
  draw({ live, store }) {
    const { data, t } = this.#view;
    for (const [norm, network] of Object.entries(live.networks)) {
      const word = network.story?.headline?.[0] ?? network.state;
      const topic = `network ${norm}`;
      if (!this.#known.has(topic)) this.#known.set(topic, word); // its first state is no news
      if (SILENT.has(word) || (word === "at_chance" && live.step < STILL)) continue;
      const label = data.labels[norm] ?? norm;
      const told = tellStory(data.texts, network.story, { label, step: live.step }, 0);
      this.say(told?.headline ?? this.#plainly(label, network.state, store.breaks[norm]), topic, word);
    }
    if (!this.#known.has("status")) this.#known.set("status", store.status);
    const { status } = store;
    this.say(() => t(`status.${status}`, { step: this.#view.store.live?.step ?? 0 }), "status", status);
  }

  /** Of a frame without sentences. */
  #plainly(label, state, broke) {
    const { t } = this.#view;
    const key = broke && state !== "learning" ? "announce.broke" : "announce.state";
    return capitalize(t(key, { label, state: t(`state.${state}`), step: broke?.step }));
  }

  /** Another run: its first states are no news. */
  forget() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#news.clear();
    this.#known.clear();
  }

  destroy() {
    clearTimeout(this.#timer);
  }
}
