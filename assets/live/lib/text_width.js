// How wide words are, before they are drawn. What Python has to find as well is estimated: `text_width` in
// bnviz/charts/panels.py is the twin of that.

const LETTER = 0.56; // width of a letter as a share of the type size, about
const SCRIPT_GAP = 0.125; // between a wide letter and another or a digit, as a share of the type size
const EAST_ASIAN = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}`;
// Letters that are as wide as high.
const WIDE = new RegExp(String.raw`[${EAST_ASIAN}\u3000-\u303f\uff01-\uff60]`, "gu");
const BORDER = new RegExp(`(?<=[${EAST_ASIAN}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[${EAST_ASIAN}])`, "giu");

/**
 * About how many pixels wide a text is.
 *
 * @param size of the type, in pixels
 * @param letter width of a letter that is not as wide as high, as a share of the size
 */
export function textWidth(text, size, letter = LETTER) {
  const wide = text.match(WIDE)?.length ?? 0;
  const borders = text.match(BORDER)?.length ?? 0;
  return size * (wide + SCRIPT_GAP * borders + letter * (text.length - wide));
}

let pen = null;

/** The width in px of a text in a font, as CSS has it: measured, not estimated. */
export function measuredWidth(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return pen.measureText(text).width;
}

/** A text in lines of which each is as long as fits. @param fits (line) => whether it does */
export function inLines(text, fits) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.filter(Boolean);
}
