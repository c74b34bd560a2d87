// The stage's sliders: the learning rate, and beside it one more where somebody has chosen one.

import { follow } from "../data/open_runs.js";
import { h, setHidden } from "../lib/dom.js";
import { keep, readKept } from "../lib/tab_storage.js";
import { capitalize } from "../lib/texts.js";
import { Knobs } from "../knobs/knobs.js";

const KEPT = "bnviz-second-knob";
const NONE = "";

export class StageKnobs {
  #view;
  #chosen = NONE;
  #run = null;
  #leave = () => {};

  constructor(view) {
    this.#view = view;
    const kept = readKept(KEPT); // on the stage of the same run, as after a look at the page
    if (kept?.run === view.data.run) this.#chosen = kept.name;
    const stage = this;
    this.second = new Knobs({
      get data() {
        const { data } = view;
        return { ...data, knobs: { ...data.knobs, shown: stage.#offered.filter((name) => name === stage.#chosen) } };
      },
      get t() {
        return view.t;
      },
    }, { scale: true, extras: false });
    this.second.element.classList.add("bnviz-rate");
    this.choice = h("div", { class: "bnviz-segments", role: "radiogroup", "aria-label": view.t("stage.second") });
  }

  /** The knobs that there may be beside the rate. */
  get #offered() {
    return this.#view.data.knobs.second ?? [];
  }

  /** @param rate the element of the learning rate; @returns the place of both */
  place(rate) {
    return h("div", { class: "bnviz-stage-knobs" }, rate, this.second.element);
  }

  update() {
    const { data, t, id } = this.#view;
    const names = this.#offered.length ? [NONE, ...this.#offered] : [];
    const made = names.join();
    if (made !== this.choice.dataset.made) {
      this.choice.dataset.made = made;
      this.choice.replaceChildren(...names.map((name) => h("label", {},
        h("input", { type: "radio", name: `bnviz-second-${id}`, value: name, checked: name === this.#chosen, onchange: () => this.#choose(name) }),
        h("span", {}, name === NONE ? t("stage.no_second") : capitalize(data.knobs.specs[name].label)))));
    }
    if (this.#run !== data.run) {
      this.#leave();
      this.#run = data.run;
      this.#leave = follow(data.run, (parts) => this.second.bind(parts?.link ?? null, parts?.edges ?? null));
    }
    this.#show();
  }

  #choose(name) {
    this.#chosen = name;
    keep(KEPT, name ? { run: this.#view.data.run, name } : null);
    this.#show();
  }

  #show() {
    setHidden(this.second.element, !this.#offered.includes(this.#chosen));
    this.second.update();
  }

  end() {
    this.#leave();
    this.second.destroy();
  }
}
