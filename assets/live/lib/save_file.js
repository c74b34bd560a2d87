// Functions that save text or a picture as a file on the visitor's device.

import { h } from "./dom.js";

// Time in ms until the URL of a saved file is revoked. Until then, the browser may still be asking the user where to
// save the file
const KEPT = 60_000;

/**
 * Convert an SVG document, given as text, to a PNG.
 * @returns promise of a Blob
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
 * @returns promise of a Blob
 */
export function canvasPng(canvas) {
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("canvas.toBlob failed"))), "image/png"));
}

/** Save a blob under a name. */
export function saveFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
