// One polite live region. It speaks of changes of state only, never of single frames.

import { h } from "./dom.js";
import { capitalize } from "./texts.js";

export class Announcer {
  element = h("div", { class: "bnviz-hidden", role: "status", "aria-live": "polite" });
  #view;
  #states = {};
  #status = null;

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
    for (const [norm, { state, broke }] of Object.entries(live.networks)) {
      if (this.#states[norm] !== undefined && this.#states[norm] !== state) {
        const label = data.labels[norm] ?? norm;
        const key = broke && state !== "learning" ? "announce.broke" : "announce.state";
        news.push(capitalize(t(key, { label, state: t(`state.${state}`), step: broke?.step })));
      }
      this.#states[norm] = state;
    }
    if (this.#status !== null && this.#status !== store.status) {
      news.push(t(`status.${store.status}`, { step: live.step }));
    }
    this.#status = store.status;
    if (news.length) this.say(news.join(" "));
  }

  /** Another run: its first states are no news. */
  forget() {
    this.#states = {};
    this.#status = null;
  }
}
