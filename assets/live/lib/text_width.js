// Measures the width of a text before it is drawn, and splits texts into lines.

let pen = null;

/** Width of a text in px. `font` has the form of the CSS property `font`. */
export function measuredWidth(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return pen.measureText(text).width;
}

/**
 * Split a text into lines, each as long as possible.
 * @param fits function that returns whether a line fits
 */
export function inLines(text, fits) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter(Boolean);
}
