// One card per network, with its headline, its test accuracy, and a second line for details if there are any.

import { button, differsFromLast, fill, h, setHidden, setText } from "../lib/dom.js";
import { formatNumber, percent } from "../lib/format.js";
import { headlineOf, waitingHeadline } from "../lib/headlines.js";
import { joinList, joinSentences } from "../lib/joining.js";
import { sameValue } from "../lib/live_actions.js";
import { setLinked } from "../lib/terms.js";
import { tellStory } from "../lib/texts.js";

// Details that do not by themselves make the second line appear, because they only say that all is well, which the
// charts also show.
const QUIET = new Set(["gradient_even", "gradient_even_time"]);
// Most important details, in order. The second line shows the first of these that applies, or if none applies, the
// network's first detail. All other details are shown on request.
const LEADING = ["first_layer", "first_network", "fell_to_chance", "undefined_norm_why", "dip"];
// Number of steps for which the second line remains after its last detail, so that it does not flicker.
const STAYS = 30;
const LEVEL = 2; // percentage points; networks whose accuracies differ by at most this count as level
const WHERE = new Set(["first_layer", "moved_first"]); // details that tell in which layer a network broke

export class Cards {
  element = h("div.bnviz-cards");
  #view;
  #cards = new Map(); // norm → elements
  #isNew = differsFromLast(); // detects changes in the data that the cards are built from
  // Whether the reader has asked for the best rates. After a break, the server searches for the best rates without
  // being asked
  #bestWanted = false;

  constructor(view) {
    this.#view = view;
  }

  update() {
    const { data, t } = this.#view;
    const { norms, labels, colours, language } = data;
    // Rebuild the cards only if necessary, so that a focused element keeps the focus.
    if (!this.#isNew([norms, labels, colours, language, data.run])) return;
    this.#bestWanted = false;
    this.#cards.clear();
    fill(this.element, norms.map((norm) => this.#card(norm)));
    this.element.dataset.count = norms.length;
    this.element.setAttribute("aria-label", t("cards.title"));
  }

  #card(norm) {
    const { data, t } = this.#view;
    const { line, text } = data.colours[norm];
    const parts = {
      headline: waitingHeadline(norm, this.#view),
      detail: h("span.bnviz-detail"),
      accuracy: h("span.bnviz-accuracy"),
      what: h("small"),
      rest: h("span.bnviz-detail", { hidden: true }),
      more: button("", () => this.#unfold(parts), {
        className: "bnviz-link bnviz-more", aria: t("cards.more_of", { label: data.labels[norm] }), hidden: true,
      }),
      detailAt: null, // the last step with a detail
      showBreak: button(t("cards.show_break"), () => this.#showBreak(norm), { className: "bnviz-link", hidden: true }),
      tried: h("span.bnviz-tried"),
      best: button(t("cards.run_best"), () => this.#view.act("best"), { className: "bnviz-link", hidden: true }),
    };
    parts.told = h("p", { hidden: true }, [parts.detail, parts.rest, parts.tried, parts.showBreak, parts.best]
      .flatMap((part) => [part, " "])); // the buttons are kept when the text beside them changes
    parts.element = h("article.bnviz-network", {
      "data-card": norm,
      style: { "--line": line, "--text": text },
    },
      parts.headline, h("div.bnviz-score", parts.what, " ", parts.accuracy), parts.told, parts.more);
    this.#cards.set(norm, parts);
    return parts.element;
  }

  #showBreak(norm) {
    const broke = this.#view.store.breaks[norm];
    if (broke) this.#view.time.playAround(broke.step);
  }

  /** Switch between showing all details and showing only the most important one. */
  #unfold(parts) {
    parts.unfolded = !parts.unfolded;
    this.#fold(parts);
  }

  #fold({ unfolded = false, rest, more, element }) {
    setHidden(rest, !unfolded);
    element.classList.toggle("bnviz-unfolded", unfolded);
    setText(more, this.#view.t(unfolded ? "cards.less" : "cards.more"));
    more.setAttribute("aria-expanded", unfolded);
  }

  draw(scene) {
    const { data, t, screen: { narrow } } = this.#view;
    for (const [norm, parts] of this.#cards) {
      const network = scene.frame.networks[norm];
      if (!network) continue;
      const told = this.#view.coversLayer ? withoutLayer(network.story) : network.story;
      const [first, rest] = this.#split(parts, told.detail, scene.step);
      setText(parts.headline, headlineOf(network, norm, scene.step, this.#view, narrow));
      for (const [part, detail] of [[parts.detail, first], [parts.rest, rest]]) {
        const story = tellStory(data.texts, { ...told, detail }, { label: data.labels[norm], step: scene.step });
        setLinked(part, story.detail, data.texts.glossary);
      }
      this.#fold(parts);
      const measured = Number.isFinite(Number(network.test_accuracy));
      setText(parts.accuracy, measured ? percent(network.test_accuracy, 1) : "–");
      setText(parts.what, t(measured ? "cards.test_accuracy" : "cards.not_finite"));
      parts.element.dataset.state = network.state;
      setHidden(parts.showBreak, !(scene.store.breaks[norm]?.step > 0) || this.#view.coversLayer || this.#view.coversLater);
      this.#tellBest(parts, norm);
      const empty = ![parts.detail, parts.tried].some((part) => part.textContent) && parts.showBreak.hidden;
      const folded = empty && !this.#stays(parts, scene.step);
      setHidden(parts.told, folded);
      // Without a second line there is nothing to unfold, so hide the button as well.
      setHidden(parts.more, folded);
    }
  }

  /** Split the details into [shown in the second line, shown on request]. */
  #split(parts, detail, step) {
    if (detail.some(([key]) => !QUIET.has(key))) parts.detailAt = step;
    if (!this.#stays(parts, step)) return [[], []];
    const lead = LEADING.map((key) => detail.find(([one]) => one === key)).find(Boolean) ?? detail[0];
    return [lead ? [lead] : [], detail.filter((one) => one !== lead)];
  }

  /** Return whether `step` is at most `STAYS` steps from the last step with a detail. */
  #stays({ detailAt }, step) {
    return detailAt !== null && Math.abs(step - detailAt) <= STAYS;
  }

  /** Show the best learning rates, or search for them if there is no result for the present knob values. */
  showBest() {
    this.#bestWanted = true;
    if (this.#holds(this.#view.store.best)) this.#view.paint();
    else this.#view.act("find_best");
  }

  /**
   * Show on the last card what accuracy each network reaches at its best learning rate, as long as the knobs have not
   * changed since the search.
   */
  #tellBest(parts, norm) {
    const { data, store, t } = this.#view;
    const last = norm === data.norms.at(-1) && !this.#view.covered;
    const found = last && store.searching === null && this.#holds(store.best);
    const shown = found && (this.#bestWanted || Boolean(parts.unfolded));
    setText(parts.tried, shown ? this.#triedRates(store.best) : "");
    setHidden(parts.best, !shown || !data.can_control);
    parts.element.classList.toggle("bnviz-asked", found && this.#bestWanted);
  }

  /** Return whether a search result applies to the present knob values. */
  #holds(best) {
    const { values } = this.#view.link;
    return Boolean(best) && Object.entries(best.knobs).every(([knob, value]) => sameValue(values[knob], value));
  }

  #triedRates({ rates, steps, knobs }) {
    const { data, t } = this.#view;
    const parts = Object.entries(rates).map(([norm, { rate, accuracy }]) =>
      t("cards.best_of", {
        label: data.labels[norm], rate: formatNumber(rate), accuracy: percent(accuracy, 1),
      }),
    );
    const told = t("cards.best", { parts: joinList(parts), steps, batch: knobs.batch_size });
    return joinSentences([told, this.#whichLeads(rates)]);
  }

  /**
   * Sentence that says which network is ahead if each network has its best learning rate, or "" if there is only one
   * network.
   */
  #whichLeads(rates) {
    const { data, t } = this.#view;
    const [[first, best], [, next] = []] = Object.entries(rates).sort(([, one], [, other]) => other.accuracy - one.accuracy);
    if (!next) return "";
    const points = 100 * (best.accuracy - next.accuracy);
    const label = data.labels[first];
    return points > LEVEL ? t("cards.best_ahead", { label, points }) : t("cards.best_level", { points: LEVEL });
  }
}

/** Return a network's story without the details that tell in which layer it broke. */
function withoutLayer(story) {
  return { ...story, detail: story.detail.filter(([key]) => !WHERE.has(key)) };
}
