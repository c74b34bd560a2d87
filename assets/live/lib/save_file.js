// Save text, or a picture, as a file on the visitor's device.

import { h } from "./dom.js";

const KEPT = 60_000; // ms until the address of a file is revoked; until then, a browser may ask where to save the file

/**
 * Convert an SVG document, given as text, to a PNG.
 *
 * @returns promise of a blob
 */
export async function pngOf(source, [width, height]) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([source], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = h("canvas", { width, height });
    canvas.getContext("2d").drawImage(image, 0, 0, width, height);
    return await canvasPng(canvas);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/**
 * Convert a canvas to a PNG.
 *
 * @returns promise of a blob
 */
export function canvasPng(canvas) {
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("PNG"))), "image/png"));
}

/** Save a blob under a name. */
export function saveFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
