// Picture for sharing a broken network. It shows eight digits with each network's predictions, one histogram ("hill")
// per network, and one sentence. It is drawn on a canvas from numbers.

import { drawDigit } from "../lib/digit_image.js";

export const WIDTH = 1200; // width in px; the usual size of pictures in link previews
export const HEIGHT = 630;
const [LEFT, RIGHT] = [66, 1134];
const DIGIT = 104; // side length of a digit image, in px
const DIGITS_TOP = 50;
const [ANSWERS_TOP, ANSWERS_BOTTOM] = [166, 328];
const [HILL_TOP, HILL_BOTTOM] = [384, 524];
const FOOT = 594; // y of the sentence's baseline, in px
const GAP = 68; // px between two hills
const NOTHING = 255; // value that stands for the prediction if the logits are not finite
const BRAND = 150; // minimum width of the site's name, in px
const PEAK = 0.92; // height of the highest bin, as a share of the height of the hill's box

/** Wrapper of a canvas context that records the bounding boxes of texts, images and histograms. */
class Pen {
  boxes = [];

  constructor(canvas, family) {
    this.draw = canvas.getContext("2d");
    this.family = family;
  }

  keep(kind, { left, top, width, height }) {
    this.boxes.push({ kind, left, right: left + width, top, bottom: top + height });
  }

  /**
   * Write one line of text, in the largest font size that fits.
   *
   * @param texts alternatives, of which the first that fits is written, or the last if none fits
   * @param at {x, y: baseline, size: maximum font size in px, least: minimum font size in px, width: maximum width,
   * align}
   */
  write(kind, texts, colour, { x, y, size, least = size, width = Infinity, align = "left" }) {
    const { draw } = this;
    const fits = (text) => draw.measureText(text).width <= width;
    for (; ; size--) {
      draw.font = `700 ${size}px ${this.family}`;
      if (size <= least || fits(texts[0])) break;
    }
    const text = texts.find(fits) ?? texts.at(-1);
    draw.fillStyle = colour;
    draw.textAlign = align;
    draw.fillText(text, x, y);
    const measured = draw.measureText(text);
    const left = x - { left: 0, center: 0.5, right: 1 }[align] * measured.width;
    const top = y - measured.actualBoundingBoxAscent;
    this.boxes.push({ kind, text, size, left, right: left + measured.width, top, bottom: y + measured.actualBoundingBoxDescent });
    return measured.width;
  }
}

/**
 * Draw the picture.
 * @param canvas a canvas of `WIDTH` × `HEIGHT`
 * @param picture {images: lists of pixels, labels: digits of the images (both lists are empty if the data set has no
 * images), networks: [{answers, does: a headline, colours: {line, text}, now, start: counts by bin, or null}], zones:
 * [[from, to], …] flat zones of the nonlinearity, as shares of the hill's axis, foot: the sentence, brands:
 * alternatives for the site's name, of which the first that fits is written, family: font, paper, ink, muted, edge,
 * shade: colours}
 * @returns boxes: [{kind, left, right, top, bottom}]; a box of text also has {text, size}
 */
export function drawBreakPicture(canvas, picture) {
  const pen = new Pen(canvas, picture.family);
  pen.draw.fillStyle = picture.paper;
  pen.draw.fillRect(0, 0, WIDTH, HEIGHT);
  const { networks, images } = picture;
  if (images.length) drawAnswers(pen, picture);
  const width = (RIGHT - LEFT - GAP * (networks.length - 1)) / networks.length;
  const top = images.length ? HILL_TOP : 120;
  networks.forEach((network, i) => {
    const left = LEFT + i * (width + GAP);
    pen.write("headline", [network.does], network.colours.text, { x: left, y: top - 16, size: 28, least: 24, width });
    const box = { left, top, width, height: HILL_BOTTOM - top };
    pen.keep("hill", box);
    drawHill(pen.draw, network, picture, box);
  });
  const foot = pen.write("foot", [picture.foot], picture.ink, { x: LEFT, y: FOOT, size: 40, least: 36, width: RIGHT - LEFT - BRAND });
  pen.write("brand", picture.brands, picture.ink, { x: RIGHT, y: FOOT, size: 34, least: 26, width: RIGHT - LEFT - foot - 30, align: "right" });
  return pen.boxes;
}

function drawAnswers(pen, { images, labels, networks, edge, paper }) {
  const { draw } = pen;
  const pitch = (RIGHT - LEFT - DIGIT) / (images.length - 1);
  const row = (ANSWERS_BOTTOM - ANSWERS_TOP) / networks.length;
  const radius = Math.min(35, 0.46 * row);
  images.forEach((pixels, i) => {
    const x = LEFT + i * pitch;
    pen.keep("image", { left: x, top: DIGITS_TOP, width: DIGIT, height: DIGIT });
    const small = document.createElement("canvas");
    drawDigit(small, pixels);
    draw.save();
    draw.beginPath();
    draw.roundRect(x, DIGITS_TOP, DIGIT, DIGIT, 6);
    draw.clip();
    draw.imageSmoothingEnabled = false;
    draw.drawImage(small, x, DIGITS_TOP, DIGIT, DIGIT);
    draw.restore();
    draw.strokeStyle = edge;
    draw.lineWidth = 1.5;
    draw.stroke();
    networks.forEach(({ answers, colours }, j) => {
      const [middle, y] = [x + DIGIT / 2, ANSWERS_TOP + (j + 0.5) * row];
      const wrong = answers[i] !== NOTHING && answers[i] !== labels[i];
      if (wrong) {
        draw.fillStyle = colours.text;
        draw.beginPath();
        draw.arc(middle, y, radius, 0, 2 * Math.PI);
        draw.fill();
      }
      const size = Math.round(1.5 * radius);
      const text = answers[i] === NOTHING ? "–" : String(answers[i]);
      pen.write("answer", [text], wrong ? paper : colours.text, { x: middle, y: y + 0.36 * size, size, align: "center" });
    });
  });
}

function drawHill(draw, { now, start, colours }, { zones, shade, muted }, { left, top, width, height }) {
  draw.fillStyle = shade;
  for (const [from, to] of zones) draw.fillRect(left + from * width, top, (to - from) * width, height);
  const bottom = top + height;
  const outline = (counts) => {
    const peak = Math.max(1, ...counts);
    const bin = width / counts.length;
    draw.beginPath();
    draw.moveTo(left, bottom);
    counts.forEach((count, i) => {
      const y = bottom - (PEAK * height * count) / peak;
      draw.lineTo(left + i * bin, y);
      draw.lineTo(left + (i + 1) * bin, y);
    });
    draw.lineTo(left + width, bottom);
  };
  if (now) {
    outline(now);
    draw.globalAlpha = 0.4;
    draw.fillStyle = colours.line;
    draw.fill();
    draw.globalAlpha = 1;
    draw.strokeStyle = colours.line;
    draw.lineWidth = 2.5;
    draw.stroke();
  }
  if (start) {
    outline(start);
    draw.setLineDash([2, 4]);
    draw.strokeStyle = muted;
    draw.lineWidth = 1.5;
    draw.stroke();
    draw.setLineDash([]);
  }
  draw.strokeStyle = colours.line;
  draw.lineWidth = 2.5;
  draw.beginPath();
  draw.moveTo(left, bottom);
  draw.lineTo(left + width, bottom);
  draw.stroke();
}
