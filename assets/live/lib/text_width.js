// How wide words are, before they are drawn, and how they are parted into lines.

let pen = null;

/** The width in px of a text in a font, as CSS has it. */
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
