// How wide words are before they are drawn.

let pen = null;

export function textWidth(text, size, weight = 700) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** px with one decimal. */
export function round(value) {
  return Math.round(value * 10) / 10;
}
