// A card per network: how it does in a line and one number; a second line where there is more to say.

import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { number, percent } from "../lib/format.js";
import { asksLayer, coversLater, onItsWay } from "../lib/headline.js";
import { setLinked } from "../lib/terms.js";
import { capitalize, tellStory } from "../lib/texts.js";

// That all is well is told by the charts, and needs no words.
const QUIET = new Set(["gradient_even", "gradient_even_time"]);
// Of what there is to say the first of these stands in the second line; the rest is a press away.
const LEADING = ["first_layer", "first_network", "fell_to_chance", "paused_why", "dip"];
// Steps for which a second line stays after what was said in it is over: it must not come and go.
const STAYS = 30;

export class Cards {
  element = h("div", { class: "bnviz-cards" });
  #view;
  #cards = new Map();
  #made = ""; // of what the cards that stand there were made
  #asked = false; // somebody wants to see the best rates; a search begins by itself after a break

  constructor(view) {
    this.#view = view;
  }

  update() {
    const { data, t } = this.#view;
    const { norms, labels, colours, language } = data;
    const made = JSON.stringify([norms, labels, colours, language, data.run]);
    if (made === this.#made) return; // what has the focus in them keeps it
    this.#made = made;
    this.#asked = false;
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
      detail: h("span", { class: "bnviz-detail" }),
      accuracy: h("span", { class: "bnviz-accuracy" }),
      what: h("small", {}),
      rest: h("span", { class: "bnviz-detail", hidden: true }),
      more: button("", () => this.#unfold(parts), { className: "bnviz-link bnviz-more" }),
      saidAt: null,
      showBreak: button(t("cards.show_break"), () => this.#showBreak(norm), { className: "bnviz-link" }),
      tried: h("span", { class: "bnviz-tried" }),
      best: button(t("cards.run_best"), () => this.#view.act("best"), { className: "bnviz-link" }),
    };
    parts.more.setAttribute("aria-label", t("cards.more_of", { label: data.labels[norm] ?? norm }));
    // Until there is a frame to draw.
    setText(parts.headline, t("cards.waiting", { label: capitalize(data.labels[norm] ?? norm) }));
    setHidden(parts.showBreak, true);
    setHidden(parts.best, true);
    setHidden(parts.more, true);
    parts.told = h("p", { hidden: true }, ...[parts.detail, parts.rest, parts.tried, parts.showBreak, parts.best]
      .flatMap((part) => [part, " "])); // they stay in reach while the text changes
    parts.element = h("article", {
      class: "bnviz-network", "data-card": norm,
      style: { "--line": colours.line ?? "currentColor", "--text": colours.text ?? "currentColor" },
    },
      parts.headline, h("div", { class: "bnviz-score" }, parts.what, " ", parts.accuracy), parts.told, parts.more);
    this.#cards.set(norm, parts);
    return parts.element;
  }

  #showBreak(norm) {
    const broke = this.#view.store.breaks[norm];
    if (broke) this.#view.time.playAround(broke.step);
  }

  /** Show all there is to say, or its first sentence alone. */
  #unfold(parts) {
    parts.unfolded = !parts.unfolded;
    this.#fold(parts);
  }

  #fold({ unfolded = false, rest, more, element }) {
    setHidden(rest, !unfolded);
    element.classList.toggle("bnviz-unfolded", unfolded);
    setText(more, this.#view.t(unfolded ? "cards.less" : "cards.more"));
    more.setAttribute("aria-expanded", String(unfolded));
  }

  draw(scene) {
    const { data, t } = this.#view;
    for (const [norm, parts] of this.#cards) {
      const network = scene.frame.networks[norm];
      if (!network) continue;
      const label = data.labels[norm] ?? norm;
      const told = asksLayer(this.#view) ? withoutLayer(network.story) : network.story;
      const [first, rest] = this.#chosen(parts, told?.detail ?? [], scene.step);
      const say = (detail) => tellStory(data.texts, told && { ...told, detail }, { label, step: scene.step });
      const story = say(first) ?? { headline: `${capitalize(label)}: ${t(`state.${network.state}`)}.`, detail: "" };
      setText(parts.headline, onItsWay(network, label, this.#view) ?? ((this.#view.screen.narrow && story.short) || story.headline));
      setLinked(parts.detail, story.detail, data.texts.glossary);
      setLinked(parts.rest, say(rest)?.detail ?? "", data.texts.glossary);
      this.#fold(parts);
      const measured = Number.isFinite(Number(network.test_accuracy));
      setText(parts.accuracy, measured ? percent(network.test_accuracy, 1) : "–");
      setText(parts.what, t(measured ? "cards.test_accuracy" : "cards.not_finite"));
      parts.element.dataset.state = network.state;
      setHidden(parts.showBreak, !(scene.store.breaks[norm]?.step > 0) || asksLayer(this.#view) || coversLater(this.#view));
      this.#tellBest(parts, norm);
      const silent = ![parts.detail, parts.tried].some((part) => part.textContent) && parts.showBreak.hidden;
      const quiet = silent && !this.#stays(parts, scene.step);
      setHidden(parts.told, quiet);
      // On a phone the whole second line is a press away: nothing below is moved by it.
      setHidden(parts.more, this.#view.screen.narrow ? quiet : !rest.length);
    }
  }

  /** What stands in the second line of a card, and what is folded behind it: [sentences, sentences]. */
  #chosen(parts, detail, step) {
    if (detail.some(([key]) => !QUIET.has(key))) parts.saidAt = step;
    if (!this.#stays(parts, step)) return [[], []];
    const lead = LEADING.map((key) => detail.find(([one]) => one === key)).find(Boolean) ?? detail[0];
    return [lead ? [lead] : [], detail.filter((one) => one !== lead)];
  }

  /** Whether something was said in the second line not long before a step. */
  #stays({ saidAt }, step) {
    return saidAt !== null && Math.abs(step - saidAt) <= STAYS;
  }

  /** Show what was found of the best rates, or look for them. */
  askBest() {
    this.#asked = true;
    if (this.#holds(this.#view.store.best)) this.#view.paint();
    else this.#view.act("find_best");
  }

  /** What each network could do at a rate of its own stands once, on the last card, as long as it holds. */
  #tellBest(parts, norm) {
    const { data, store, t } = this.#view;
    const last = norm === data.norms.at(-1) && !this.#view.covered;
    const found = last && store.searching === null && this.#holds(store.best);
    const shown = found && (this.#asked || Boolean(parts.unfolded));
    setText(parts.tried, shown ? this.#triedRates(store.best) : "");
    setHidden(parts.best, !shown || !data.can_control);
    parts.element.classList.toggle("bnviz-asked", found && this.#asked);
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
