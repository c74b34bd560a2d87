// A palette of small images in which one image can be selected, and a slot for an image.

import { button, differsFromLast, h, modified, setText } from "../../live/lib/dom.js";
import { digitImage, drawDigit } from "../../live/lib/digit_image.js";
import { within } from "../../live/lib/format.js";

const MOVES = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * Row of images. Tab focuses one image, and the arrow keys move the focus between the images. When an image is
 * selected, `onchoose(index)` is called.
 */
export class Palette {
  #onchoose;
  #isNew = differsFromLast();
  #at = 0;

  constructor(onchoose) {
    this.#onchoose = onchoose;
    this.element = h("div.bnviz-palette", { role: "group", onkeydown: (event) => this.#key(event) });
  }

  /** @param images [{index, pixels, name: for screen readers, marked}, …] @param label accessible name of the row */
  show(images, label) {
    this.element.setAttribute("aria-label", label);
    if (this.#isNew(images.map(({ index }) => index))) {
      this.#at = 0;
      this.element.replaceChildren(...images.map(({ index, pixels }, place) =>
        button(digitImage(pixels), () => this.#choose(place, index), { className: "bnviz-tile", tabindex: place ? -1 : 0 })));
    }
    images.forEach(({ name, marked }, place) => {
      const tile = this.element.children[place];
      tile.setAttribute("aria-label", name);
      tile.title = name;
      tile.classList.toggle("bnviz-tile-marked", marked);
    });
  }

  #choose(place, index) {
    this.#reach(place);
    this.#onchoose(index);
  }

  #reach(place) {
    this.element.children[this.#at].tabIndex = -1;
    this.#at = place;
    this.element.children[place].tabIndex = 0;
  }

  #key(event) {
    if (modified(event)) return;
    const tiles = [...this.element.children];
    const across = Math.max(1, tiles.filter((tile) => tile.offsetTop === tiles[0].offsetTop).length);
    const move = { ...MOVES, ArrowUp: -across, ArrowDown: across }[event.key];
    const ends = { Home: 0, End: tiles.length - 1 }[event.key];
    if (move === undefined && ends === undefined) return;
    event.preventDefault();
    this.#reach(ends ?? within(this.#at + move, 0, tiles.length - 1));
    tiles[this.#at].focus();
  }
}

/** A button with an image and words below it. */
export class ImageSlot {
  constructor(onclick) {
    this.canvas = digitImage();
    this.words = h("small");
    this.element = button([this.canvas, this.words], onclick, { className: "bnviz-slot" });
  }

  /**
   * @param view {pixels: of the image, or null for an empty slot; words; name: for screen readers; chosen: whether the
   * slot is selected}
   */
  show({ pixels, words, name, chosen }) {
    drawDigit(this.canvas, pixels);
    this.element.classList.toggle("bnviz-slot-empty", pixels === null);
    setText(this.words, words);
    this.element.setAttribute("aria-label", name);
    this.element.setAttribute("aria-pressed", String(chosen));
  }
}
