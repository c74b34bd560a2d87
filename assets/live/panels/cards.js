// A card per network: how it does, in words and one number, with the links that lead on.

import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { number, percent } from "../lib/format.js";
import { asksLayer, coversLater, onItsWay } from "../lib/headline.js";
import { setLinked } from "../lib/terms.js";
import { capitalize, tellStory } from "../lib/texts.js";

// Read from the last row, or on a phone, a card says what broke and where; the rest is on the page.
const MOST_PRESENTED = 2;

export class Cards {
  element = h("div", { class: "bnviz-cards" });
  #view;
  #cards = new Map();
  #made = ""; // of what the cards that stand there were made

  constructor(view) {
    this.#view = view;
  }

  update() {
    const { data, t } = this.#view;
    const { norms, labels, colours, language } = data;
    const made = JSON.stringify([norms, labels, colours, language, data.run]);
    if (made === this.#made) return; // what has the focus in them keeps it
    this.#made = made;
    this.#cards.clear();
    fill(this.element, ...norms.map((norm) => this.#card(norm)));
    this.element.dataset.count = norms.length;
    this.element.setAttribute("aria-label", t("cards.title"));
  }

  #card(norm) {
    const { data, t } = this.#view;
    const colours = data.colours[norm] ?? {};
    const parts = {
      headline: h("h2", {}),
      detail: h("span", {}),
      accuracy: h("span", { class: "bnviz-accuracy" }),
      what: h("small", {}),
      at: h("small", {}),
      showBreak: button(t("cards.show_break"), () => this.#showBreak(norm), { className: "bnviz-link" }),
      tried: h("span", { class: "bnviz-tried" }),
      best: button("", () => this.#view.act(parts.found ? "best" : "find_best"), { className: "bnviz-link" }),
      searching: h("span", { class: "bnviz-searching" }),
    };
    // Until there is a frame to draw.
    setText(parts.headline, t("cards.waiting", { label: capitalize(data.labels[norm] ?? norm) }));
    setHidden(parts.showBreak, true);
    setHidden(parts.best, true);
    parts.element = h("article", {
      class: "bnviz-card bnviz-network", "data-card": norm,
      style: { "--line": colours.line ?? "currentColor", "--text": colours.text ?? "currentColor" },
    },
      h("div", { class: "bnviz-score" }, parts.accuracy, parts.what, parts.at),
      parts.headline,
      h("p", {}, parts.detail, parts.tried),
      h("div", { class: "bnviz-ways" }, parts.showBreak, parts.best, parts.searching)); // they stay in reach while the text changes
    this.#cards.set(norm, parts);
    return parts.element;
  }

  #showBreak(norm) {
    const broke = this.#view.store.breaks[norm];
    if (broke) this.#view.time.playAround(broke.step);
  }

  draw(scene) {
    const { data, t } = this.#view;
    for (const [norm, parts] of this.#cards) {
      const network = scene.frame.networks[norm];
      if (!network) continue;
      const label = data.labels[norm] ?? norm;
      const most = data.present || this.#view.screen.narrow ? MOST_PRESENTED : Infinity;
      const told = asksLayer(this.#view) ? withoutLayer(network.story) : network.story;
      const story = tellStory(data.texts, told, { label, step: scene.step }, most) ?? {
        headline: `${capitalize(label)}: ${t(`state.${network.state}`)}.`,
        detail: "",
      };
      setText(parts.headline, onItsWay(network, label, this.#view) ?? story.headline);
      setLinked(parts.detail, story.detail, data.texts.glossary);
      const measured = Number.isFinite(Number(network.test_accuracy));
      setText(parts.accuracy, measured ? percent(network.test_accuracy, 1) : "–");
      setText(parts.what, t(measured ? "cards.test_accuracy" : "cards.not_finite"));
      parts.element.dataset.state = network.state;
      setHidden(parts.showBreak, !(scene.store.breaks[norm]?.step > 0) || asksLayer(this.#view) || coversLater(this.#view));
      this.#offerBest(parts, norm);
      setText(parts.at, t("cards.at_step", { step: scene.step }));
    }
  }

  /**
   * What each network could do at a rate of its own stands once, on the last card: to be looked for at
   * any time, and again once other knobs are set.
   */
  #offerBest(parts, norm) {
    const { data, store, t } = this.#view;
    const last = norm === data.norms.at(-1) && !this.#view.covered;
    const { searching } = store;
    parts.found = last && searching === null && this.#holds(store.best);
    if (last) this.element.classList.toggle("bnviz-found", parts.found);
    setText(parts.tried, parts.found ? ` ${this.#triedRates(store.best)}` : "");
    setHidden(parts.best, !last || !data.can_control || searching !== null);
    setText(parts.best, t(parts.found ? "cards.run_best" : "cards.find_best"));
    setText(parts.searching, last && searching !== null ? t("cards.searching", { share: searching }) : "");
  }

  /** Whether what a search found is of the knobs as they are. */
  #holds(best) {
    const { values } = this.#view.link;
    return Boolean(best) && Object.entries(best.knobs).every(([knob, value]) => values[knob] === value);
  }

  #triedRates({ rates, steps, knobs }) {
    const { data, t } = this.#view;
    const parts = Object.entries(rates).map(([norm, { rate, accuracy }]) =>
      t("cards.best_of", {
        label: data.labels[norm] ?? norm, rate: number(rate), accuracy: percent(accuracy, 1),
      }),
    );
    const told = t("cards.best", { parts: parts.join(", "), steps, batch: knobs.batch_size });
    return [told, this.#whichLeads(rates)].filter(Boolean).join(" ");
  }

  /** Of networks at their best rates the first one; "" where there is one alone. */
  #whichLeads(rates) {
    const { data, t } = this.#view;
    const [[first, best], [, next] = []] = Object.entries(rates).sort(([, one], [, other]) => other.accuracy - one.accuracy);
    if (!next) return "";
    const points = 100 * (best.accuracy - next.accuracy);
    const label = data.labels[first] ?? first;
    return points > LEVEL ? t("cards.best_ahead", { label, points }) : t("cards.best_level", { points: LEVEL });
  }
}

const LEVEL = 2; // points no further apart than this are some test images either way
const WHERE = new Set(["first_layer", "moved_first"]);

/** A network's story without where it began to break. */
function withoutLayer(story) {
  return story?.detail ? { ...story, detail: story.detail.filter(([key]) => !WHERE.has(key)) } : story;
}
