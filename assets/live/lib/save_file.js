// Save text, or a picture, as a file on the visitor's device.

import { h } from "./dom.js";

const KEPT = 60_000; // ms until the address of a file is given up: a browser may ask where to put it

/** What is drawn on a canvas, as a PNG. @returns promise of a blob */
export function pngOf(canvas) {
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("PNG"))), "image/png"));
}

/** Save a blob under a name. */
export function saveFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
