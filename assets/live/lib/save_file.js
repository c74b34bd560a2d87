// Gives the visitor a file.

import { h } from "./dom.js";

const KEPT = 60_000; // ms until the address of a file is given up: a browser may ask where to put it

/** Save a blob under a name. */
export function saveFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}
