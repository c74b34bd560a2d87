// Sentence under the slider of the home page that suggests the next action, based on the networks' predictions (see
// ../data/readings.js). After a network has broken, a share button appears beside the sentence.

import { h, pill, setHidden, setText } from "../lib/dom.js";
import { count, formatNumber } from "../lib/format.js";
import { firstTime } from "../lib/storage.js";

const OVER = new Set(["stays", "stays_both", "recovered"]); // keys of sentences that suggest starting over
const ENDED = new Set(["finished", "error"]); // statuses of a run that takes no knobs
const SEEN = 60; // number of steps at the lower rate after which it is clear that the lower rate does not help

export class Prompt {
  #view;
  #backAt = null; // step at which the rate was lowered again while a network was broken
  #broke = new Set(); // networks that have broken since the run began
  #key = null; // key of the sentence that is shown now
  #last = -1; // the newest step
  #painted = false; // whether the slider's track shows which networks learn at each rate

  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.says = h("p");
    this.rests = h("p.bnviz-prompt-rests", { hidden: true });
    this.again = pill(t("prompt.again"), () => view.act("reset"), { hidden: true });
    this.share = pill(t("prompt.share"), () => view.act("share_break"), { className: "bnviz-filled bnviz-prompt-share", hidden: true });
    this.element = h("div.bnviz-prompt", this.says, this.rests, this.again, this.share);
  }

  update() {
    if (!this.says.textContent) setText(this.says, this.#view.t("prompt.begin"));
  }

  draw({ live, step }) {
    const { data, link, readings, rate, store } = this.#view;
    // On the first visit, the slider moves a little to show that it can be dragged.
    if (this.#last < 0 && data.can_control && firstTime("rate")) rate.nudge();
    if (live.step < this.#last) this.#broke.clear();
    this.#last = live.step;
    // The advice depends on the newest step, so it does not change while an earlier step is shown.
    if (step === live.step || !this.#key) this.#advise(live.step, link.values.learning_rate);
    const ended = ENDED.has(store.status);
    if (ended) setText(this.says, this.#view.t("prompt.ended", { step: count(live.step) }));
    setHidden(this.says, store.status === "disconnected"); // the page's line says so, and the slider is disabled
    const over = OVER.has(this.#key) || ended;
    this.#tellPause(live.step, over);
    setHidden(this.again, !over || !data.can_control);
    setHidden(this.share, !readings.everBroken || !data.can_control);
    if (readings.everBroken && !this.#painted) rate.showPainted();
    this.#painted = readings.everBroken;
  }

  #advise(step, value) {
    const { data, readings, t } = this.#view;
    const soon = this.#view.pageLayout?.nextReplayed(step) ?? null;
    this.#key = soon && !this.#broke.size ? "replay" : this.#keyAt(step, value);
    const [one = data.norms[0]] = readings.broken;
    setText(this.says, t(`prompt.${this.#key}`, { rate: formatNumber(soon?.rate ?? value), step: soon?.step, one: t(`prompt.one.${one}`) }));
  }

  /** Return the key of the sentence for a step and a learning rate. */
  #keyAt(step, rate) {
    const { data, readings } = this.#view;
    const { broken, everBroken } = readings;
    for (const norm of broken) this.#broke.add(norm);
    const raised = rate > data.knobs.specs.learning_rate?.home;
    if (!broken.length || raised) this.#backAt = null;
    else this.#backAt ??= step;
    if (!broken.length) return this.#broke.size ? "recovered" : raised ? "raised" : everBroken ? "second" : "begin";
    const suffix = broken.length > 1 && broken.length === data.norms.length ? "_both" : "";
    return `${raised ? "back" : step - this.#backAt < SEEN ? "wait" : "stays"}${suffix}`;
  }

  /**
   * Say that the run is paused and how to continue.
   *
   * @param over whether to advise starting over, instead of setting the knob
   */
  #tellPause(step, over) {
    const { data, store, t } = this.#view;
    const rests = store.status === "paused" && step > 0 && data.can_control;
    setHidden(this.rests, !rests);
    if (rests) setText(this.rests, t(over ? "prompt.ended" : "prompt.rests", { step: count(step) }));
  }
}
