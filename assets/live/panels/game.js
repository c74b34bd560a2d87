// The game on the home page. It suggests what to try next: break the first network, lower the rate again,
// then find the highest learning rate at which it still learns. Everything it tells is read from the run.

import { h, pill, setHidden, setText } from "../lib/dom.js";
import { count, number } from "../lib/format.js";
import { firstTime } from "../lib/storage.js";

const ALIVE = 0.9; // test accuracy from which a network counts as alive
const HELD = 50; // steps after which a rate counts as held
const IN_TROUBLE = new Set(["blown_up", "stuck", "diverged"]);
const OVER = new Set(["stays", "recovered", "lost"]); // phases in which starting over is suggested
const BOTH = new Set(["back", "wait", "stays"]); // phases with other words where all networks have broken
const LEARNS_AGAIN = new Set(["broke_learning", "broke_unsteady"]); // headlines of a network that broke and learns again
const SEEN = 60; // steps at the lower rate after which it is clear that it does not help

/**
 * The highest learning rate at which a network has stayed at an accuracy of at least `ALIVE` for `HELD`
 * steps.
 */
export class Climb {
  best = null; // {rate, steps: for how many, step: the last of them}
  #since = null; // the step since which the present rate is held; null: it is not
  #rate = null;
  #step = -1;

  /** Take the network's accuracy from a frame. Steps may be missing, and the run may have started over. */
  take(step, rate, accuracy) {
    const again = step < this.#step;
    this.#step = step;
    if (again || rate !== this.#rate || !(accuracy >= ALIVE)) this.#since = null;
    this.#rate = rate;
    if (!(accuracy >= ALIVE)) return;
    this.#since ??= step;
    const steps = this.held;
    const more = rate === this.best?.rate ? steps > this.best.steps : !(rate <= this.best?.rate);
    if (steps >= HELD && more) this.best = { rate, steps, step };
  }

  /** For how many steps the present rate is held. */
  get held() {
    return this.#since === null ? 0 : this.#step - this.#since;
  }
}

export class Game {
  #view;
  #climb = new Climb();
  #state = null; // of the first network, after it has broken
  #backAt = null; // the step at which the rate was lowered again
  #playing = false; // whether it has broken and the run was started over: now the rate is to be raised
  #last = -1; // the newest step

  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.says = h("p");
    this.again = pill(t("game.again"), () => view.act("reset"), { hidden: true });
    this.best = h("p.bnviz-game-best", { hidden: true });
    this.share = pill(t("game.share"), () => view.act("share_break"), { className: "bnviz-filled bnviz-game-share", hidden: true });
    this.rests = h("p.bnviz-game-rests", { hidden: true });
    this.element = h("div.bnviz-game", this.says, this.rests, this.again, this.best, this.share);
  }

  update() {
    if (!this.says.textContent) setText(this.says, this.#view.t("game.begin"));
  }

  draw({ live }) {
    const { data, link } = this.#view;
    const network = live.networks[data.norms[0]];
    if (!network) return;
    // On the first visit the slider moves a little, to show what can be dragged.
    if (this.#last < 0 && data.can_control && firstTime("rate")) this.#view.rate.nudge();
    if (live.step < this.#last) this.#startOver();
    this.#last = live.step;
    const rate = link.values.learning_rate;
    this.#climb.take(live.step, rate, Number(network.test_accuracy));
    this.#follow(live.step, network, rate);
    const others = data.norms.slice(1).map((norm) => live.networks[norm]);
    const soon = this.#view.pageLayout?.nextReplayed(live.step) ?? null;
    const phase = soon && this.#state === null ? "replay" : this.#phase(live.step, rate);
    const both = phase === "stays" ? inTrouble : isDown;
    const all = others.length && others.every((other) => other?.broke && both(other));
    const key = all && BOTH.has(phase) ? `${phase}_both` : phase;
    const values = { rate: number(soon?.rate ?? rate), held: Math.min(HELD, this.#climb.held), needed: HELD, share: ALIVE, step: soon?.step };
    setText(this.says, this.#view.t(`game.${key}`, values));
    this.#view.announcer?.say(this.says.textContent, "game", key);
    this.#tellPause(live.step, OVER.has(phase));
    setHidden(this.again, !OVER.has(phase) || !data.can_control);
    this.#showBest();
    setHidden(this.share, this.#state === null || !data.can_control);
    // The track shows where networks break after the visitor has broken one, but not while a class is asked.
    this.#view.rate.showPainted((this.#playing || this.#state !== null) && !this.#view.covered);
  }

  /**
   * Tell that the run is paused and how to go on.
   *
   * @param over whether to advise starting over, instead of setting the knob
   */
  #tellPause(step, over) {
    const { data, store, t } = this.#view;
    const rests = store.status === "paused" && step > 0 && data.can_control;
    setHidden(this.rests, !rests);
    if (rests) setText(this.rests, t(over ? "game.ended" : "game.rests", { step: count(step) }));
  }

  #startOver() {
    this.#playing ||= this.#state !== null;
    this.#state = null;
    this.#backAt = null;
  }

  #follow(step, network, rate) {
    const { broke, state } = network;
    this.#state = broke || IN_TROUBLE.has(state) ? state : null;
    if (broke && state !== "recovered" && !inTrouble(network)) this.#state = "learning";
    if (this.#state === null || rate > this.#home) this.#backAt = null;
    else this.#backAt ??= step;
  }

  /** The learning rate at the start of the page. */
  get #home() {
    return this.#view.data.knobs.specs.learning_rate?.home;
  }

  /** The phase of the game, which is the key of its words. */
  #phase(step, rate) {
    const state = this.#state;
    if (this.#playing) return state !== null && state !== "recovered" ? "lost" : "climb";
    if (state === null) return rate > this.#home ? "raised" : "begin";
    if (state === "recovered") return "recovered";
    if (this.#backAt === null) return "back";
    if (state === "learning") return "learns";
    return step - this.#backAt < SEEN ? "wait" : "stays";
  }

  #showBest() {
    const { best } = this.#climb;
    const shown = this.#playing && best;
    setHidden(this.best, !shown);
    if (!shown) return;
    setText(this.best, this.#view.t("game.best", { rate: number(best.rate), steps: best.steps }));
  }
}

/** Whether a network is in trouble, even if it learns again. */
function isDown({ state }) {
  return IN_TROUBLE.has(state);
}

/** Whether a network is in trouble and does not learn again. */
function inTrouble({ state, story }) {
  return IN_TROUBLE.has(state) && !LEARNS_AGAIN.has(story.headline[0]);
}
