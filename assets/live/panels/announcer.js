// Announcements of state changes to screen readers. They use one polite live region, at most once every five seconds.
// If a topic changes several times in between, only its newest state is announced.

import { h } from "../lib/dom.js";
import { joinSentences } from "../lib/joining.js";
import { tellStory } from "../lib/texts.js";

const PAUSE = 5000; // ms between two announcements
// Time in ms to wait for the newest frame, because the message that the run has paused can arrive before the last
// frames
const SETTLED = 1000;
// Initial states of a network, which are not announced. The state "at_chance" is not announced before step STILL.
const SILENT = new Set(["not_started", "at_chance_one", "leaving_chance"]);
const STILL = 50;

export class Announcer {
  element = h("div.bnviz-hidden", { role: "status", "aria-live": "polite" });
  #view;
  #waiting = new Map(); // topic → {state, text} that is to be announced next
  #announced = new Map(); // topic → last state announced to the reader
  #spokeAt = -Infinity;
  #timer = null;

  constructor(view) {
    this.#view = view;
  }

  /**
   * Announce a text soon, if the state of its topic has changed since the last announcement.
   * @param text a sentence, or a function that returns the sentence when it is announced
   * @param topic subject of the text; a newer text on the same topic replaces one that is waiting
   * @param state state of the topic
   */
  say(text, topic = "", state = text) {
    if (this.#announced.get(topic) === state) {
      this.#waiting.delete(topic); // the state has changed back before it was announced
      return;
    }
    this.#waiting.set(topic, { state, text });
    const wait = Math.max(SETTLED, this.#spokeAt + PAUSE - performance.now());
    this.#timer ??= setTimeout(() => this.#speak(), wait);
  }

  #speak() {
    this.#timer = null;
    if (!this.#waiting.size) return;
    this.#spokeAt = performance.now();
    for (const [topic, { state }] of this.#waiting) this.#announced.set(topic, state);
    const sentences = [...this.#waiting.values()].map(({ text }) => (typeof text === "function" ? text() : text));
    this.#waiting.clear();
    this.element.textContent = joinSentences(sentences);
  }

  /** Announce what has changed since the last frame. */
  draw({ live, store }) {
    const { data, readings, t } = this.#view;
    // On the home page, the band of digits already says what each network does.
    for (const [norm, network] of readings ? [] : Object.entries(live.networks)) {
      const [state] = network.story.headline;
      const topic = `network ${norm}`;
      if (!this.#announced.has(topic)) this.#announced.set(topic, state); // the first state is not announced
      if (SILENT.has(state) || (state === "at_chance" && live.step < STILL)) continue;
      const label = data.labels[norm];
      this.say(tellStory(data.texts, network.story, { label, step: live.step }, 0).headline, topic, state);
    }
    if (!this.#announced.has("status")) this.#announced.set("status", store.status);
    const { status } = store;
    this.say(() => t(`status.${status}`, { step: this.#view.store.live?.step ?? 0 }), "status", status);
  }

  /** Prepare for another run, whose first states are not announced. */
  forget() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting.clear();
    this.#announced.clear();
  }

  destroy() {
    clearTimeout(this.#timer);
  }
}
