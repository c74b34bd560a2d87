// The dialogs of a map: share and export.

import { copyField, dialog, workStatus } from "../live/dialogs/dialog.js";
import { classAddress, ShareCode, shareUrl } from "../live/dialogs/share.js";
import { checkbox, h, pill, s, set, setText } from "../live/lib/dom.js";
import { joinSentences } from "../live/lib/joining.js";
import { pngOf, saveFile } from "../live/lib/save_file.js";
import { textWidth } from "../widgets/lib/svg.js";
import { paletteOf } from "./colour_scales.js";

const [MARGIN, LINE] = [24, 18]; // px
const SHARPER = 2; // PNG pixels per CSS px

/**
 * Open the share dialog. It contains the address of this map to copy or scan, and a description of what the address
 * opens.
 */
export function openShare(view) {
  const { data, t } = view;
  const address = classAddress(data.class_address ?? null, t);
  const field = copyField(view, t("share.address"), "");
  const does = h("p.bnviz-share-does");
  const code = new ShareCode(view);
  let present = Boolean(data.present);
  const show = () => {
    const query = new URLSearchParams(location.search);
    query.delete("present");
    field.set(shareUrl(address.origin + location.pathname, query, { present }));
    setText(does, joinSentences([t("sharing.map_does"), present ? t("sharing.large") : ""]));
    code.show(field.get(), t("share.qr"));
  };
  address.onchange = show;
  show();
  const large = checkbox(t("share.present"), (ticked) => {
    present = ticked;
    show();
  }, present);
  dialog(view, t("share.title"), address.element, h("div", field, does), large, code);
}

/**
 * Open the export dialog. It offers the cells as files, the planes as a picture, and the command that draws the same
 * map.
 */
export function openExport(view) {
  const { data, t } = view;
  const name = (kind) => `bnviz-map-${data.key.slice(0, 8)}.${kind}`;
  const status = workStatus(t, "");
  const files = (data.key ? ["csv", "json"] : []).map((kind) =>
    h("a.bnviz-pill", { href: `${data.base}/maps/${data.key}.${kind}`, download: name(kind), "data-export": kind }, t(`export.${kind}`)));
  const save = (kind, make) => {
    const work = async () => saveFile(await make(view), name(kind));
    return pill(t(`export.${kind}`), () => status.doing(work), { "data-export": kind });
  };
  dialog(view, t("export.title"),
    h("p", t("export.data")), h("div.bnviz-pills", files),
    h("p", t("export.picture")), h("div.bnviz-pills", save("png", asPng), save("svg", asSvg), status),
    data.command ? copyField(view, t("export.command"), data.command).element : null,
  );
}

/** Return the planes as an SVG file. */
function asSvg(view) {
  const text = new XMLSerializer().serializeToString(picture(view));
  return new Blob([`<?xml version="1.0" encoding="UTF-8"?>\n${text}`], { type: "image/svg+xml" });
}

/** Return the planes as a PNG file, rendered by the browser. */
function asPng(view) {
  const svg = picture(view);
  const size = ["width", "height"].map((name) => SHARPER * svg.getAttribute(name));
  return pngOf(new XMLSerializer().serializeToString(svg), size);
}

/** Return the planes as one self-contained SVG picture with the title, the legend, the command and the address. */
function picture(view) {
  const { planes, data, heading: { title } } = view;
  const colours = paletteOf(data);
  const room = planes.element.getBoundingClientRect();
  const width = Math.ceil(room.width) + 2 * MARGIN;
  const write = (words, x, y, more) => s("text", { x, y, "font-size": 13, fill: colours.ink, ...more }, words);
  const parts = [write(title.main, MARGIN, MARGIN + 14, { "font-size": 18, "font-weight": 700 }), write(title.sub, MARGIN, MARGIN + 36, { fill: colours.muted })];
  const top = MARGIN + 52;
  const copy = planes.plane.svg.cloneNode(true);
  for (const name of ["role", "tabindex", "aria-label", "aria-roledescription", "class"]) copy.removeAttribute(name);
  parts.push(set(copy, { x: MARGIN, y: top }));
  let y = top + room.height + LINE + 6;
  let x = MARGIN;
  for (const key of [...planes.legend.children].filter(({ hidden }) => !hidden)) {
    const swatch = key.querySelector("svg");
    const words = key.textContent;
    const beside = swatch ? Number(swatch.getAttribute("width")) + 6 : 0;
    const wide = beside + textWidth(words, 13, 400) + 20;
    if (x > MARGIN && x + wide > width - MARGIN) [x, y] = [MARGIN, y + LINE];
    if (swatch) parts.push(set(swatch.cloneNode(true), { x, y: y - 11 }));
    parts.push(write(words, x + beside, y));
    x += wide;
  }
  const foot = [data.command, location.href].filter(Boolean).flatMap((text) => wrapped(text, width - 2 * MARGIN));
  for (const line of foot) parts.push(write(line, MARGIN, (y += LINE + 2), { fill: colours.muted, "font-size": 11 }));
  const height = y + MARGIN;
  return s("svg", {
    xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`,
    "font-family": getComputedStyle(view.root).fontFamily.replaceAll('"', "'"),
  }, s("rect", { width, height, fill: colours.paper }), parts);
}

/** Split a long text into lines that fit the given width. */
function wrapped(text, width) {
  const most = Math.max(20, Math.floor(width / (textWidth("0", 11, 400) * 1.02)));
  return text.match(new RegExp(`.{1,${most}}`, "g")) ?? [];
}
