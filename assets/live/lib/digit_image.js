// Small square images of handwritten digits. A canvas has one pixel per image pixel, and the page enlarges the canvas.

import { h } from "./dom.js";
import { within } from "./format.js";

/**
 * Create a canvas with an image, with one canvas pixel per image pixel.
 *
 * @param pixels of a square image, clipped to the range from 0 to 1, or null for an empty canvas
 */
export function digitImage(pixels = null) {
  const canvas = h("canvas.bnviz-digit", { "aria-hidden": true, width: 8, height: 8 });
  drawDigit(canvas, pixels);
  return canvas;
}

/**
 * Draw an image onto a canvas made by `digitImage`. 0 is paper and 1 is ink, and values outside this range are clipped.
 */
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

/** Return the images in a page's data as lists of pixels, from 0 (paper) to 1 (ink). */
export function pixelsOf({ side, pixels }) {
  const bytes = Uint8Array.from(atob(pixels), (character) => character.charCodeAt(0));
  const size = side * side;
  return Array.from({ length: bytes.length / size }, (_, i) => Array.from(bytes.subarray(i * size, (i + 1) * size), (grey) => grey / 255));
}
