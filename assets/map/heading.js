// What the planes show, in words, and the choice of what their cells are coloured by.

import { fill, h } from "../live/lib/dom.js";
import { Choice } from "../widgets/lib/controls.js";
import { coloursFor } from "./looks.js";

export class Heading {
  element = h("h2", {});
  choice = h("div", { class: "bnviz-stability-choice" });
  title = { main: "", sub: "" };
  #view;
  #heard = null;

  constructor(view) {
    this.#view = view;
  }

  /** What the page says: another way of colouring, other networks, other words. */
  update() {
    const { t, data, norms } = this.#view;
    const names = coloursFor(norms, data.seeds);
    if (this.#heard !== data.colour) this.#view.colour = this.#heard = data.colour;
    if (!names.includes(this.#view.colour)) this.#view.colour = "outcome";
    if (this.choice.dataset.names !== String([names, data.language])) {
      this.choice.dataset.names = String([names, data.language]);
      this.picker = new Choice({ label: t("colour.label"), options: names.map((name) => [name, t(`colour.${name}`)]), onchange: (name) => this.#choose(name) });
      fill(this.choice, this.picker.element);
    }
    this.picker.show(this.#view.colour);
    this.#say();
  }

  #choose(name) {
    this.#view.colour = name;
    this.#say();
    this.#view.planes.update();
    this.#view.send("colour", name);
  }

  #say() {
    const { t, data, colour } = this.#view;
    const values = { steps: data.steps, dataset: data.dataset, seeds: data.seeds };
    const kind = data.equal === "data" ? "data" : "steps";
    const main = t(colour === "outcome" ? `title.${kind}` : `title.${colour}`, values);
    // Who survives how many steps is asked with their number.
    const each = colour === "outcome" && kind === "steps" ? [] : [t(`title.each_${kind}`, values)];
    const parts = [...each, data.seeds > 1 ? t("title.seeds", values) : t("title.seed"), t("title.dataset", values)];
    this.title = { main, sub: parts.join(", ") };
    fill(this.element, main, " ", h("small", {}, this.title.sub));
  }
}
