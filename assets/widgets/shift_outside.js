// The widget *shift from outside*. The contrast and the brightness of all test images change, and two trained networks
// classify the changed images: a network without BN, and a network with BN. The network with BN does so twice, with
// running averages and with the statistics of the changed images.

import { h, pill, setHidden, setText } from "../live/lib/dom.js";
import { percent } from "../live/lib/format.js";
import { digitImage, drawDigit } from "../live/lib/digit_image.js";
import { ComingNetworks } from "./lib/trained_networks.js";
import { Widget, mountable } from "./lib/widget.js";

const SHOWN = 6; // images
const CLEAN = { contrast: 1, brightness: 0 };
const WAYS = [["plain", "none", false], ["stored", "batch", false], ["own", "batch", true]];

/**
 * Return the accuracy over all images, after a change of contrast and brightness, for each of the three ways in which
 * the images are classified.
 */
export function accuracies(trained, { contrast, brightness }) {
  const rows = trained.changed(contrast, brightness);
  return Object.fromEntries(WAYS.map(([name, norm, own]) => {
    const answers = trained.networks[norm].answers(rows, { own });
    return [name, answers.filter((answer, index) => answer === trained.labels[index]).length / answers.length];
  }));
}

class ShiftOutside extends Widget {
  chosen = { ...CLEAN };
  #clean = null;
  #due = false;
  #coming = new ComingNetworks(this, (trained) => (this.#clean = accuracies(trained, CLEAN)));

  build() {
    const { t } = this;
    const contrast = this.slider("contrast", { min: 0.2, max: 2, step: 0.1, write: tenths });
    const brightness = this.slider("brightness", { min: -0.5, max: 0.5, step: 0.1, write: tenths });
    this.images = Array.from({ length: SHOWN }, () => digitImage());
    this.rows = WAYS.map(([name, norm]) => ({ name, norm, bar: h("i"), mark: h("b"), value: h("span") }));
    this.reset = pill(t("reset"), () => this.choose({ ...CLEAN }));
    this.intro = h("p");
    this.parts = h("div.bnviz-compose",
      h("div.bnviz-widget-controls", contrast, brightness),
      h("div.bnviz-widget-row", this.reset),
      h("div.bnviz-slots", { role: "img", "aria-label": t("images") }, this.images),
      h("div.bnviz-shares", this.rows.map(({ name, bar, mark, value }) =>
        h("div.bnviz-share", h("span", t(name)), h("span.bnviz-share-track", { "aria-hidden": true }, bar, mark), value))));
    this.body.replaceChildren(this.intro, this.#coming.again, this.parts);
  }

  choose(changes) {
    Object.assign(this.chosen, changes);
    this.showChosen();
    if (this.#due) return;
    // evaluate at most once per frame, because a slider moves faster than all images can be classified
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.draw();
    });
  }

  draw() {
    const { t } = this;
    const awaited = this.#coming.awaited(this.data);
    const { chosen } = this;
    const { trained } = this.#coming;
    setHidden(this.parts, awaited !== null);
    if (awaited !== null) {
      setText(this.intro, "");
      return this.tellWaiting(awaited, t("network"));
    }
    setText(this.intro, t("intro", { steps: trained.steps, seed: trained.seed, count: trained.count }));
    this.showChosen();
    this.images.forEach((canvas, index) => drawDigit(canvas, trained.pixels(index).map((p) => chosen.contrast * p + chosen.brightness)));
    const found = accuracies(trained, chosen);
    for (const { name, norm, bar, mark, value } of this.rows) {
      bar.style.width = `${100 * found[name]}%`;
      bar.style.setProperty("--line", this.colours[norm].line);
      bar.classList.toggle("bnviz-share-own", name === "own");
      mark.style.left = `${100 * this.#clean[name]}%`;
      setText(value, percent(found[name], 1));
    }
    const written = Object.fromEntries(Object.entries(found).map(([name, share]) => [name, percent(share, 1)]));
    this.fillTable([t("network"), t("accuracy"), t("clean")], WAYS.map(([name]) => [t(name), written[name], percent(this.#clean[name], 1)]));
    this.tell(t("result", { ...written, contrast: tenths(chosen.contrast), brightness: tenths(chosen.brightness) }),
      { ...chosen, ...found });
  }
}

const tenths = (value) => value.toFixed(1).replace("-", "−");

export default mountable(ShiftOutside);
