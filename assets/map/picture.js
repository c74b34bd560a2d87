// The planes as one picture that stands alone: title, legend, setting and address within it.

import { s } from "../widgets/lib/svg.js";
import { palette } from "./palette.js";
import { textWidth } from "./text_width.js";

const [MARGIN, LINE] = [24, 18]; // px
const SHARPER = 2; // pixels of a PNG by px

/** As an SVG file. */
export function asSvg(view) {
  const text = new XMLSerializer().serializeToString(picture(view));
  return new Blob([`<?xml version="1.0" encoding="UTF-8"?>\n${text}`], { type: "image/svg+xml" });
}

/** As a PNG file, painted by the browser. */
export async function asPng(view) {
  const svg = picture(view);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {
    width: SHARPER * svg.getAttribute("width"), height: SHARPER * svg.getAttribute("height"),
  });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("PNG"))), "image/png");
  });
}

function picture(view) {
  const { planes, data, heading: { title } } = view;
  const colours = palette(data.dark);
  const room = planes.element.getBoundingClientRect();
  const width = Math.ceil(room.width) + 2 * MARGIN;
  const write = (words, x, y, more) => s("text", { x, y, "font-size": 13, fill: colours.ink, ...more }, words);
  const parts = [write(title.main, MARGIN, MARGIN + 14, { "font-size": 18, "font-weight": 700 }), write(title.sub, MARGIN, MARGIN + 36, { fill: colours.muted })];
  const top = MARGIN + 52;
  for (const plane of planes.all) {
    const [head, body] = [plane.title, plane.svg].map((element) => element.getBoundingClientRect());
    const place = ({ left, top: high }) => [left - room.left + MARGIN, high - room.top + top];
    if (plane.title.textContent) {
      const [x, y] = place(head);
      parts.push(write(plane.title.textContent, x, y + 15, { "font-weight": 700, "font-size": 14, fill: view.norms[plane.network]?.ink ?? colours.ink }));
    }
    const copy = plane.svg.cloneNode(true);
    for (const name of ["role", "tabindex", "aria-label", "aria-roledescription", "class"]) copy.removeAttribute(name);
    const [x, y] = place(body);
    copy.setAttribute("x", x);
    copy.setAttribute("y", y);
    parts.push(copy);
  }
  let y = top + room.height + LINE + 6;
  let x = MARGIN;
  for (const key of [...planes.legend.children].filter(({ hidden }) => !hidden)) {
    const swatch = key.querySelector("svg");
    const words = key.textContent;
    const wide = Number(swatch.getAttribute("width")) + 6 + textWidth(words, 13, 400) + 20;
    if (x > MARGIN && x + wide > width - MARGIN) [x, y] = [MARGIN, y + LINE];
    const copy = swatch.cloneNode(true);
    copy.setAttribute("x", x);
    copy.setAttribute("y", y - 11);
    parts.push(copy, write(words, x + Number(swatch.getAttribute("width")) + 6, y));
    x += wide;
  }
  for (const line of [data.command, location.href].filter(Boolean).flatMap((text) => wrapped(text, width - 2 * MARGIN))) parts.push(write(line, MARGIN, (y += LINE + 2), { fill: colours.muted, "font-size": 11 }));
  const height = y + MARGIN;
  return s("svg", {
    xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`,
    "font-family": getComputedStyle(view.root).fontFamily.replaceAll('"', "'"),
  }, s("rect", { width, height, fill: colours.paper }), ...parts);
}

/** A long line in pieces that are not too wide. */
function wrapped(text, width) {
  const most = Math.max(20, Math.floor(width / (textWidth("0", 11, 400) * 1.02)));
  return text.match(new RegExp(`.{1,${most}}`, "g")) ?? [];
}
