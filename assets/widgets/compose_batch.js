// The widget *compose the batch*. A reader chooses the other images of a batch, and sees a trained network's prediction
// for the first image, once with the batch's own statistics and once with running averages. Everything is computed in
// the browser.

import { fill, h, pill, s, setHidden, setText } from "../live/lib/dom.js";
import { formatNumber, percent } from "../live/lib/format.js";
import { joinSentences } from "../live/lib/joining.js";
import { AllAsked, companionsOf, ownLogits } from "./lib/companions.js";
import { ImageSlot, Palette } from "./lib/image_palette.js";
import { drawShares, words } from "./lib/svg.js";
import { ComingNetworks, foldedParts, highest, probabilities, randomNumbers } from "./lib/trained_networks.js";
import { Widget, mountable } from "./lib/widget.js";

const SLOTS = 8;
const COMPANIES = 20; // number of random batches in which each image is tested
const SEEDS = { companies: 1, all: 2, buttons: 3 }; // seeds of the random choices, by purpose
const [HEIGHT, FLOOR] = [132, 112]; // px; height of the probability chart, and y of its axis

class ComposeBatch extends Widget {
  #coming = new ComingNetworks(this, (trained) => this.#begin(trained));
  #random = randomNumbers(SEEDS.buttons);
  #all = null; // predictions for all images in random batches, or null until they are known

  #begin(trained) {
    this.trained = trained;
    this.network = Object.values(trained.networks)[0];
    this.merged = this.network.folded();
    this.everything = trained.labels.map((_, index) => index);
    this.stored = this.network.logits(trained.images, { own: false });
    this.inMerged = this.merged.logits(trained.images, { own: false });
    const first = this.#firstThatWavers();
    this.chosen = { batch: [first, ...Array(SLOTS - 1).fill(null)], slot: 0, digit: trained.labels[first], folded: false };
    this.#company(this.everything);
    this.#askAll(new AllAsked(trained, this.network, { size: SLOTS, seed: SEEDS.all }));
  }

  /**
   * Return the index of the first image whose prediction depends on its batch, or 0 if there is none. Such an image
   * does not mislead the reader, because the widget also says how common such images are.
   */
  #firstThatWavers() {
    const answers = highest(this.stored, this.network.classes);
    return Math.max(0, this.everything.findIndex((image) => this.#differs(image, answers[image]) > 0));
  }

  /**
   * Predict all images. One round of predictions is made per task of the event loop, so that the page stays responsive.
   */
  #askAll(all) {
    all.round();
    if (all.rounds < COMPANIES) return void setTimeout(() => this.#askAll(all), 0);
    this.#all = all;
    this.draw();
  }

  build() {
    const { t } = this;
    this.slots = Array.from({ length: SLOTS }, (_, place) => new ImageSlot(() => this.choose({ slot: place })));
    this.palette = new Palette((index) => this.#put(index));
    this.intro = h("p");
    this.bars = s("svg.bnviz-small-chart", { role: "img" });
    this.all = h("p");
    this.what = h("small");
    const act = (name, action) => pill(t(name), action);
    this.controls = h("div.bnviz-compose",
      h("div.bnviz-slots", { role: "group", "aria-label": t("batch") }, this.slots),
      h("div.bnviz-widget-row", act("random", () => this.#company(this.everything)),
        act("same", () => this.#company(this.everything.filter((index) => this.trained.labels[index] === this.trained.labels[this.chosen.batch[0]]))),
        act("alone", () => this.#fill(Array(SLOTS - 1).fill(null)))),
      this.what, this.choice("digit", [...Array(10).keys()], String, t("palette")), this.palette,
      h("figure.bnviz-widget-figure", this.bars,
        h("figcaption.bnviz-compose-legend", h("span.bnviz-compose-own", t("own")), h("span.bnviz-compose-stored", t("stored")))),
      this.switch("folded", t("fold")), this.all);
    this.body.replaceChildren(this.intro, this.#coming.again, this.controls);
  }

  /** Put an image into the selected slot of the batch, and select the next slot. */
  #put(index) {
    const { batch, slot } = this.chosen;
    batch[slot] = index;
    this.choose({ slot: slot === 0 ? 0 : (slot % (SLOTS - 1)) + 1 });
  }

  #company(among) {
    const [image] = this.chosen.batch;
    this.#fill(companionsOf(image, among, SLOTS - 1, this.#random));
  }

  #fill(others) {
    this.choose({ batch: [this.chosen.batch[0], ...others] });
  }

  draw() {
    const { t } = this;
    const awaited = this.#coming.awaited(this.data);
    this.root.style.setProperty("--line", this.colours.batch.line);
    setHidden(this.controls, awaited !== null);
    if (awaited !== null) {
      setText(this.intro, "");
      return this.tellWaiting(awaited, t("digit"));
    }
    const { trained, network, chosen } = this;
    setText(this.intro, t("intro", { steps: trained.steps, seed: trained.seed, depth: network.layers.length, count: trained.count }));
    this.#drawSlots(t);
    this.#drawPalette(t);
    this.showChosen();
    this.#say(t);
  }

  #named(t, index) {
    return t("image", { number: index + 1, digit: this.trained.labels[index] });
  }

  #drawSlots(t) {
    const { batch, slot } = this.chosen;
    batch.forEach((index, place) => this.slots[place].show({
      pixels: index === null ? null : this.trained.pixels(index),
      words: place === 0 ? t("asked_for") : index === null ? t("empty") : String(this.trained.labels[index]),
      name: t(place === 0 ? "slot_first" : "slot", { place: place + 1, image: index === null ? t("empty") : this.#named(t, index) }),
      chosen: place === slot,
    }));
    setText(this.what, t(slot === 0 ? "pick_first" : "pick", { place: slot + 1 }));
  }

  #drawPalette(t) {
    const { trained, chosen } = this;
    const images = this.everything.filter((index) => trained.labels[index] === chosen.digit);
    this.palette.show(images.map((index) => {
      const marked = (this.#all?.answers[index].size ?? 1) > 1;
      const name = this.#named(t, index);
      return { index, pixels: trained.pixels(index), name: marked ? t("wavers", { image: name }) : name, marked };
    }), t("palette_of", { digit: chosen.digit }));
  }

  /** Return the number of random batches in which the image's prediction differs from its prediction at inference. */
  #differs(image, answer) {
    const random = randomNumbers(SEEDS.companies);
    const companies = Array.from({ length: COMPANIES }, () => [image, ...companionsOf(image, this.everything, SLOTS - 1, random)]);
    return companies.filter((batch) => top(ownLogits(this.trained, this.network, batch)) !== answer).length;
  }

  #say(t) {
    const { trained, network, chosen } = this;
    const { classes } = network;
    const [image] = chosen.batch;
    const batch = chosen.batch.filter((index) => index !== null);
    const logits = (chosen.folded ? this.inMerged : this.stored).slice(image * classes, (image + 1) * classes);
    const [own, stored] = [ownLogits(trained, network, batch), logits].map(probabilities);
    const answers = { own: top(own), stored: top(stored) };
    const differs = this.#differs(image, answers.stored);
    this.#drawBars(t, own, stored, trained.labels[image]);
    const alone = batch.length === 1;
    const parts = [
      t("answers", { image: this.#named(t, image), own: answers.own, own_share: percent(own[answers.own]), stored: answers.stored, stored_share: percent(stored[answers.stored]) }),
      alone ? t("all_beta") : t("differs", { differs, companies: COMPANIES }),
    ];
    this.tell(joinSentences(parts), {
      image, companions: chosen.batch.slice(1), own: answers.own, stored: answers.stored, differs, folded: chosen.folded,
    });
    fill(this.all, joinSentences([this.#sayAll(t), chosen.folded ? this.#sayFolded(t) : ""]));
    this.fillTable([t("digit"), t("own"), t("stored")], own.map((share, digit) => [String(digit), percent(share, 1), percent(stored[digit], 1)]));
  }

  /** Return text on the fraction of all images whose prediction depends on the batch. */
  #sayAll(t) {
    if (!this.#all) return t("asking");
    const { answers, accuracy, changing } = this.#all;
    const right = highest(this.stored, this.network.classes).filter((answer, index) => answer === this.trained.labels[index]).length / answers.length;
    return t("all", { changing: percent(changing, 1), companies: COMPANIES, accuracy: percent(accuracy, 1), stored: percent(right, 1) });
  }

  #sayFolded(t) {
    const { stored, inMerged, network } = this;
    const largest = stored.reduce((most, value, at) => Math.max(most, Math.abs(value - inMerged[at])), 0);
    const [before, after] = [stored, inMerged].map((logits) => highest(logits, network.classes));
    const changed = before.filter((answer, index) => answer !== after[index]).length;
    const { factor, shift } = foldedParts(network.layers[0], network.eps);
    return t("folded", { largest: formatNumber(largest), changed, factor: formatNumber(factor[0], 3), bias: formatNumber(shift[0], 3) });
  }

  #drawBars(t, own, stored, label) {
    const width = Math.min(560, this.bars.parentElement.clientWidth);
    if (!width) return;
    this.bars.setAttribute("aria-label", t("bars"));
    const each = width / own.length;
    const bar = (css, place) => (share, digit) => [css, share, digit * each + each * (0.14 + 0.38 * place), each * 0.34];
    const named = own.map((_, digit) =>
      words(digit === label ? "bnviz-line-number bnviz-compose-true" : "bnviz-line-number", (digit + 0.5) * each, FLOOR + 16, String(digit)));
    drawShares(this.bars, { width, height: HEIGHT, floor: FLOOR },
      [...own.map(bar("bnviz-compose-bar", 0)), ...stored.map(bar("bnviz-compose-bar-stored", 1))], named);
  }
}

const top = (values) => highest(values, values.length)[0];

export default mountable(ComposeBatch);
