// "Which breaks first?": asked at step 0, answered by the run.

import { button, fill, h, setHidden } from "../lib/dom.js";
import { capitalize } from "../lib/texts.js";

const LONG_ENOUGH = 1000; // steps after which "neither" has held; where "watch" pauses

export class Question {
  element = h("section", { class: "bnviz-card bnviz-question", hidden: true });
  #view;
  #guess = undefined; // a norm, null for "neither"
  #verdict = null;
  #run = null;

  constructor(view) {
    this.#view = view;
  }

  update() {
    const { data } = this.#view;
    if (this.#run !== data.run) {
      this.#run = data.run;
      this.#guess = undefined;
      this.#verdict = null;
      if (data.paused_question) this.#ask();
    }
    if (!data.paused_question) setHidden(this.element, true);
  }

  #ask() {
    const { data, t } = this.#view;
    const choice = (norm, label) => {
      const made = button(label, () => this.#answer(norm), { className: "bnviz-pill bnviz-strong" });
      made.dataset.guess = norm ?? "neither";
      if (norm) made.style.setProperty("--text", data.colours[norm]?.text ?? "currentColor");
      return made;
    };
    fill(this.element, h("h2", {}, t("question.title")),
      h("div", {}, ...data.norms.map((norm) => choice(norm, capitalize(data.labels[norm] ?? norm))),
        choice(null, t("question.neither"))));
    setHidden(this.element, false);
  }

  #answer(norm) {
    const { t } = this.#view;
    this.#guess = norm;
    fill(this.element, h("p", {}, t("question.waiting", { guess: this.#named(norm) })));
    this.#view.act("play");
  }

  #named(norm) {
    return norm ? (this.#view.data.labels[norm] ?? norm) : this.#view.t("question.neither");
  }

  draw({ live, store }) {
    if (this.#guess === undefined || this.#verdict) return;
    const first = firstBreak(store.breaks);
    if (!first && live.step < LONG_ENOUGH) return;
    this.#tell(first, live.step);
  }

  #tell(first, step) {
    const { t } = this.#view;
    const held = (first?.norm ?? null) === this.#guess;
    const what = first
      ? t("question.broke", { label: this.#named(first.norm), step: first.step })
      : t("question.none_broke", { step });
    this.#verdict = `${t(held ? "question.held" : "question.failed", { guess: this.#named(this.#guess) })} ${capitalize(what)}`;
    fill(this.element, h("p", {}, h("strong", {}, this.#verdict)),
      button("×", () => setHidden(this.element, true), { className: "bnviz-icon", aria: t("notice.dismiss") }));
    this.#view.announcer.say(this.#verdict);
  }
}

function firstBreak(breaks) {
  const found = Object.entries(breaks).sort(([, a], [, b]) => a.step - b.step)[0];
  return found ? { norm: found[0], step: found[1].step } : null;
}
