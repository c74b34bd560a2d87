// The widget *Who shares a mean?* shows the values of a layer for a mini-batch, with one row per example, one block per
// feature map and one value per place. A reader chooses a norm and a value, and the widget highlights all values that
// share a mean with the chosen value.

import { button, fill, h } from "../live/lib/dom.js";
import { joinSentences } from "../live/lib/joining.js";
import { wayOf } from "../live/lib/keyboard_focus.js";
import { NORMS, countsOf, sharesMean } from "./lib/shared_means.js";
import { Widget, mountable } from "./lib/widget.js";

const MOST_EXAMPLES = 6;
const MAPS = [2, 4, 6];
const SIDES = [1, 2, 3, 4]; // possible numbers of places along one side of a feature map
const GROUPS = 2; // of maps

class SharedMean extends Widget {
  #shape = ""; // shape of the block that was last built

  /** @param data see bnviz/ui/lesson_widgets.py */
  take({ start }) {
    this.chosen ??= { ...start, value: { example: 0, map: 0, place: 0 } };
  }

  build() {
    const { t } = this;
    const norm = this.choice("norm", Object.keys(NORMS), (name) => t(`norms.${name}`));
    norm.element.classList.add("bnviz-choice-wraps");
    this.block = h("div.bnviz-cubes", { role: "group", "aria-label": t("block"), onkeydown: (event) => this.#key(event) });
    this.#shape = "";
    fill(this.body,
      h("p", t("setting")), norm, this.block,
      h("div.bnviz-widget-row.bnviz-cubes-size", this.slider("examples", { min: 1, max: MOST_EXAMPLES }), this.choice("maps", MAPS),
        this.choice("side", SIDES, (side) => `${side} × ${side}`, t("places"))));
  }

  /** The block in the form that lib/shared_means.js expects. */
  get #size() {
    const { examples, maps, side } = this.chosen;
    return { examples, maps, places: side ** 2, groups: GROUPS };
  }

  choose(changes) {
    Object.assign(this.chosen, changes);
    const { examples, maps, places } = this.#size;
    const { value } = this.chosen;
    // If the block has become smaller, move the chosen value to the nearest position within the block.
    this.chosen.value = {
      example: Math.min(value.example, examples - 1), map: Math.min(value.map, maps - 1), place: Math.min(value.place, places - 1),
    };
    this.draw();
  }

  #key(event) {
    const way = wayOf(event);
    if (!way) return;
    event.preventDefault();
    const { examples, maps, side, value } = this.chosen;
    const row = value.example * side + Math.floor(value.place / side) + way[1];
    const column = value.map * side + (value.place % side) + way[0];
    if (row < 0 || column < 0 || row >= examples * side || column >= maps * side) return;
    this.choose({
      value: {
        example: Math.floor(row / side), map: Math.floor(column / side), place: (row % side) * side + (column % side),
      },
    });
    this.cells.find(({ value: each }) => same(each, this.chosen.value)).element.focus();
  }

  draw() {
    this.showChosen();
    this.#drawBlock();
    this.#say();
  }

  #drawBlock() {
    const { norm, value } = this.chosen;
    const size = this.#size;
    const shape = JSON.stringify(size);
    if (shape !== this.#shape) this.#fillBlock(size);
    this.#shape = shape;
    for (const { element, value: each } of this.cells) {
      const own = same(each, value);
      element.classList.toggle("bnviz-cube-lit", sharesMean(norm, value, each, size));
      element.setAttribute("aria-pressed", String(own));
      element.tabIndex = own ? 0 : -1;
    }
  }

  #fillBlock({ examples, maps }) {
    const { t } = this;
    const { side } = this.chosen;
    this.cells = [];
    const cube = (example, map, place) => {
      const at = { example: example + 1, map: map + 1, place: place + 1 };
      const element = button("", () => this.choose({ value: { example, map, place } }), { className: "bnviz-cube", aria: t(side > 1 ? "value" : "value_alone", at) });
      this.cells.push({ element, value: { example, map, place } });
      return element;
    };
    const ofMap = (example) => (_, map) =>
      h("div.bnviz-cubes-map", Array.from({ length: side ** 2 }, (_each, place) => cube(example, map, place)));
    this.block.style.setProperty("--maps", maps);
    this.block.style.setProperty("--side", side);
    this.block.replaceChildren(
      h("div.bnviz-cubes-row", { "aria-hidden": true }, h("small"), Array.from({ length: maps }, (_, map) => h("small", t("map", { map: map + 1 })))),
      ...Array.from({ length: examples }, (_, example) =>
        h("div.bnviz-cubes-row", h("small", { "aria-hidden": true }, t("example", { example: example + 1 })), Array.from({ length: maps }, ofMap(example)))));
  }

  #say() {
    const { t } = this;
    const { norm, examples, maps, side, value } = this.chosen;
    const size = this.#size;
    const counts = Object.fromEntries(Object.keys(NORMS).map((each) => [each, countsOf(each, size)]));
    this.fillTable([t("norm"), t("rows.values"), t("rows.means"), t("rows.others")], Object.keys(NORMS).map((each) => [
      t(`norms.${each}`), String(counts[each].values), String(counts[each].means), t(NORMS[each].others ? "yes" : "no"),
    ]));
    const { values, means } = counts[norm];
    const told = { examples, maps, places: side ** 2, grouped: maps / GROUPS, values, means };
    const sentences = [t(`told.${norm}`, told), t("counts", told), values === 1 && t("alone")];
    this.tell(joinSentences(sentences), { norm, examples, maps, side, ...value, values, means });
  }
}

const same = (one, other) => one.example === other.example && one.map === other.map && one.place === other.place;

export default mountable(SharedMean);
