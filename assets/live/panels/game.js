// What to try next on the home page, by what happened so far: break one, put it back, then a game of
// how high the rate can go with the first network alive. Everything it says is read off the run.

import { button, h, setHidden, setText } from "../lib/dom.js";
import { firstTime } from "../lib/first_time.js";
import { count, number } from "../lib/format.js";

export const ALIVE = 0.9; // accuracy at which a network counts as alive
export const HELD = 50; // steps for which a rate counts as held
const IN_TROUBLE = new Set(["blown_up", "stuck", "diverged"]);
const OVER = new Set(["stays", "recovered", "lost"]); // what there is to start over from
const BOTH = new Set(["back", "wait", "stays"]); // what is said of all where all have broken
const CLIMBING = new Set(["broke_learning", "broke_unsteady"]); // headlines of one that broke and learns again
const SEEN = 60; // steps after the way back, until it is plain that it does not help

/** The highest rate that a network held: at one rate, without falling below `ALIVE`, for `HELD` steps. */
export class Climb {
  best = null; // {rate, steps, step}: for how many steps, and the step at which they were that many
  #since = null; // the step from which the present rate has been held
  #rate = null;
  #step = -1;

  /** Take in what a frame says of the network. Frames may leave steps out; the run may start over. */
  see(step, rate, accuracy) {
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

  /** How many steps the present rate has been held. */
  get held() {
    return this.#since === null ? 0 : this.#step - this.#since;
  }
}

export class Game {
  #view;
  #climb = new Climb();
  #state = null; // of the network, once it has broken
  #backAt = null; // the step from which the rate was low again
  #playing = false; // it broke once, and was started over
  #last = -1;

  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.says = h("p", {});
    this.again = button(t("game.again"), () => view.act("reset"), { className: "bnviz-pill" });
    this.best = h("p", { class: "bnviz-game-best" });
    this.share = button(t("game.share"), () => view.act("share_break"), { className: "bnviz-pill bnviz-filled bnviz-game-share" });
    this.rests = h("p", { class: "bnviz-game-rests", hidden: true });
    this.element = h("div", { class: "bnviz-game" }, this.says, this.rests, this.again, this.best, this.share);
    setHidden(this.again, true);
    setHidden(this.share, true);
    setHidden(this.best, true);
  }

  update() {
    if (!this.says.textContent) setText(this.says, this.#view.t("game.begin"));
  }

  draw({ live }) {
    const { data, link } = this.#view;
    const network = live.networks[data.norms[0]];
    if (!network) return;
    // Whoever comes for the first time sees what can be moved.
    if (this.#last < 0 && data.can_control && firstTime("rate")) this.#view.rate.beckon();
    if (live.step < this.#last) this.#startOver();
    this.#last = live.step;
    const rate = link.values.learning_rate;
    this.#climb.see(live.step, rate, Number(network.test_accuracy));
    this.#follow(live.step, network, rate);
    const others = data.norms.slice(1).map((norm) => live.networks[norm]);
    const soon = this.#view.block?.nextReplayed(live.step) ?? null;
    const phase = soon && this.#state === null ? "replay" : this.#phase(live.step, rate);
    const both = phase === "stays" ? inTrouble : isDown;
    const all = others.length && others.every((other) => other?.broke && both(other));
    const key = all && BOTH.has(phase) ? `${phase}_both` : phase;
    const values = { rate: number(soon?.rate ?? rate), held: Math.min(HELD, this.#climb.held), needed: HELD, share: ALIVE, step: soon?.step };
    setText(this.says, this.#view.t(`game.${key}`, values));
    this.#view.announcer?.say(this.says.textContent, "game", key);
    this.#rest(live.step, OVER.has(phase));
    setHidden(this.again, !OVER.has(phase) || !data.can_control);
    this.#showBest();
    setHidden(this.share, this.#state === null || !data.can_control);
    // Who has broken one may see where it breaks; who is still to say does not.
    this.#view.rate.paint((this.#playing || this.#state !== null) && !this.#view.covered);
  }

  /**
   * A run that stands still, whoever stopped it: the next move of the hand sets it going.
   *
   * @param over whether starting over is the better advice
   */
  #rest(step, over) {
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

  /** The rate that the page begins with. */
  get #home() {
    return this.#view.data.knobs.specs.learning_rate?.home;
  }

  /** What is to be said: a key of the words of the game. */
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

/** Whether a network that broke is not back, however it does now. */
function isDown({ state }) {
  return IN_TROUBLE.has(state);
}

/** Whether a network is in trouble; not where its headline says that it learns again. */
function inTrouble({ state, story }) {
  return IN_TROUBLE.has(state) && !CLIMBING.has(story?.headline?.[0]);
}
