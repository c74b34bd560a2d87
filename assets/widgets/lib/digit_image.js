// Test images of a few pixels, drawn large; and a palette of them from which one is chosen.

import { button, differsFromLast, h, modified, setText } from "../../live/lib/dom.js";
import { within } from "../../live/lib/format.js";

const MOVES = { ArrowLeft: -1, ArrowRight: 1 };

/** A canvas with an image, one canvas pixel each. @param pixels 0 to 1, and beyond, of a square image; null: nothing */
export function digitImage(pixels = null) {
  const canvas = h("canvas.bnviz-digit", { "aria-hidden": true, width: 8, height: 8 });
  drawDigit(canvas, pixels);
  return canvas;
}

/** Draw an image into such a canvas: 0 is paper, 1 is ink; what lies beyond looks like these. */
export function drawDigit(canvas, pixels) {
  const side = pixels ? Math.round(Math.sqrt(pixels.length)) : 8;
  if (canvas.width !== side) [canvas.width, canvas.height] = [side, side];
  const pen = canvas.getContext("2d");
  const drawn = pen.createImageData(side, side);
  for (let i = 0; pixels && i < pixels.length; i++) {
    const shade = Math.round(255 * (1 - within(pixels[i], 0, 1)));
    drawn.data.set([shade, shade, shade, 255], 4 * i);
  }
  pen.putImageData(drawn, 0, 0);
}

/** Images side by side, one of which is reached by Tab and the others by arrow keys. Choosing one calls `onchoose(index)`. */
export class Palette {
  #onchoose;
  #isNew = differsFromLast();
  #at = 0;

  constructor(onchoose) {
    this.#onchoose = onchoose;
    this.element = h("div.bnviz-palette", { role: "group", onkeydown: (event) => this.#key(event) });
  }

  /** @param images [{index, pixels, name: for screen readers, marked}, …] @param label of all of them */
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

  /** @param view {pixels: or null, words, name: for screen readers, chosen} */
  show({ pixels, words, name, chosen }) {
    drawDigit(this.canvas, pixels);
    this.element.classList.toggle("bnviz-slot-empty", pixels === null);
    setText(this.words, words);
    this.element.setAttribute("aria-label", name);
    this.element.setAttribute("aria-pressed", String(chosen));
  }
}
