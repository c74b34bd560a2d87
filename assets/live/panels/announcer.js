// One polite live region. It speaks of changes of state only, never of single frames.

import { h } from "../lib/dom.js";
import { capitalize } from "../lib/texts.js";

const SETTLED = 300; // ms after which the newest frame is here

export class Announcer {
  element = h("div", { class: "bnviz-hidden", role: "status", "aria-live": "polite" });
  #view;
  #states = {};
  #status = null;
  #timer = null;

  constructor(view) {
    this.#view = view;
  }

  say(text) {
    this.element.textContent = text;
  }

  /** Compare with what was said last and speak of the difference. */
  draw({ live, store }) {
    const { data, t } = this.#view;
    const news = [];
    for (const [norm, { state }] of Object.entries(live.networks)) {
      if (this.#states[norm] !== undefined && this.#states[norm] !== state) {
        const label = data.labels[norm] ?? norm;
        const broke = store.breaks[norm];
        const key = broke && state !== "learning" ? "announce.broke" : "announce.state";
        news.push(capitalize(t(key, { label, state: t(`state.${state}`), step: broke?.step })));
      }
      this.#states[norm] = state;
    }
    if (news.length) this.say(news.join(" "));
    if (this.#status !== null && this.#status !== store.status) this.#later();
    this.#status = store.status;
  }

  /** Word of a pause overtakes the last frames, so the step is read when they have come. */
  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { store, t } = this.#view;
      if (store.live) this.say(t(`status.${store.status}`, { step: store.live.step }));
    }, SETTLED);
  }

  /** Another run: its first states are no news. */
  forget() {
    clearTimeout(this.#timer);
    this.#states = {};
    this.#status = null;
  }
}
