// The dialog for sharing a broken network on the home page: a link that repeats the changes of the learning
// rate, and a picture of the networks as they are now.

import { links } from "../../contract.js";
import { axesOf } from "../charts/axis_ranges.js";
import { readable } from "../data/address.js";
import { h, pill, setText } from "../lib/dom.js";
import { percent, written } from "../lib/format.js";
import { canvasPng } from "../lib/save_file.js";
import { inLines, measuredWidth } from "../lib/text_width.js";
import { copyField, dialog } from "./dialog.js";

const [WIDTH, HEIGHT] = [1200, 630]; // px, the usual size of pictures beside links
const EDGE = 40; // px left and right
const TOP = 130; // px above the figure
const FOOT = 44; // px below it
const HERE_ONLY = new Set(["localhost", "127.0.0.1", "[::1]"]); // hosts that mean nothing on another computer

/**
 * The changes of the learning rate in the form of a link, `step:rate`, joined by "~" within a drag and else
 * by ",": `46:0.5~47:1.5,120:0.1`.
 *
 * @returns {text, cut: whether there were more than a link can have; then it has the first ones}
 */
export function replayOf(changes) {
  const rates = [];
  for (const { step, values, drag = 0 } of changes) {
    if (!("learning_rate" in values)) continue;
    const last = rates.at(-1);
    if (last?.step === step) last.rate = values.learning_rate; // only the last change of a step acts
    else rates.push({ step, rate: values.learning_rate, goesOn: drag !== 0 && last?.drag === drag, drag });
  }
  const parts = rates.slice(0, links.most_changes).map(({ step, rate, goesOn }, at) => `${goesOn ? "~" : at ? "," : ""}${step}:${rate}`);
  return { text: parts.join(""), cut: rates.length > links.most_changes };
}

/** The link. */
async function linkOf({ data, store }) {
  const { text, cut } = replayOf(await store.fetchChanges());
  const link = new URL(`${data.base}/`, location.origin);
  link.searchParams.set("replay", text);
  return { link: readable(link), cut };
}

/** Open the dialog. */
export function openShareBreak(view) {
  const { data, t } = view;
  const field = copyField(view, t("sharing_break.link"), "");
  const picture = h("img.bnviz-share-picture", { width: WIDTH, height: HEIGHT, alt: t("sharing_break.alt") });
  const save = h("a.bnviz-pill", { download: "bnviz.png", hidden: true }, t("sharing_break.save"));
  const status = h("small", { role: "status" }, t("sharing_break.working"));
  const box = dialog(view, t("sharing_break.title"), field, picture, h("div.bnviz-pills", save, status));
  box.classList.add("bnviz-share-break");
  let address = null;
  box.addEventListener("close", () => address && URL.revokeObjectURL(address));
  Promise.all([drawPicture(view), linkOf(view)]).then(([blob, { link, cut }]) => {
    if (!box.isConnected) return;
    field.set(link);
    address = URL.createObjectURL(blob);
    picture.src = save.href = address;
    save.hidden = false;
    setText(status, cut ? t("sharing_break.cut", { most: links.most_changes }) : "");
    const file = new File([blob], "bnviz.png", { type: "image/png" });
    const shared = { files: [file], url: field.get(), title: data.title };
    if (navigator.canShare?.(shared)) save.after(pill(t("sharing_break.send"), () => navigator.share(shared).catch(() => {})));
  }).catch((error) => setText(status, t("export.failed", { reason: error.message })));
}

/** The figure without grid lines, as the styles show it on the page. */
function withoutGrid({ data, layout }, family) {
  const plain = { ...layout, font: { ...layout.font, family } };
  for (const [name, axis] of axesOf(layout)) plain[name] = { ...axis, showgrid: false };
  return { data, layout: plain };
}

/**
 * The present value of a colour of the kit: its definition has one for light and one for dark, which a canvas
 * does not understand.
 */
function colourOf(root, name) {
  const probe = root.appendChild(h("i", { hidden: true }));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Draw the networks with their headlines and accuracies over the figure. @returns promise of a PNG blob */
async function drawPicture(view) {
  const { data, charts } = view;
  const [panel] = charts.panels.values();
  const style = getComputedStyle(view.root);
  const [paper, ink, muted] = ["--paper", "--ink", "--muted"].map((name) => colourOf(view.root, name));
  const canvas = h("canvas", { width: WIDTH, height: HEIGHT });
  const draw = canvas.getContext("2d");
  draw.fillStyle = paper;
  draw.fillRect(0, 0, WIDTH, HEIGHT);
  const write = (text, x, y, size, colour, { weight = 600, align = "left", most } = {}) => {
    draw.font = `${weight} ${size}px ${style.fontFamily}`;
    draw.fillStyle = colour;
    draw.textAlign = align;
    draw.fillText(text, x, y, most);
  };
  const scene = view.scene();
  const half = (WIDTH - 2 * EDGE) / data.norms.length;
  for (const [place, norm] of data.norms.entries()) {
    const x = EDGE + place * half;
    const { text } = data.colours[norm];
    const card = view.root.querySelector(`[data-card="${norm}"] h2`);
    const accuracy = scene?.frame.networks[norm]?.test_accuracy;
    const fits = (line) => measuredWidth(line, `700 22px ${style.fontFamily}`) <= half - 150;
    const [first = "", ...rest] = inLines(card?.textContent ?? "", fits);
    [first, rest.join(" ")].forEach((line, i) => write(line, x, 50 + 28 * i, 22, text, { weight: 700 }));
    write(Number.isFinite(Number(accuracy)) ? percent(accuracy) : "–", x + half - 24, 60, 38, text, { weight: 700, align: "right" });
    write(view.t("cards.test_accuracy").replaceAll(/\[\[[^|\]]*\|?|\]\]/g, ""), x + half - 24, 82, 16, muted, { weight: 400, align: "right" });
  }
  const { toImage } = await view.plotly;
  const figure = new Image();
  const shown = { format: "png", width: WIDTH - EDGE, height: HEIGHT - TOP - FOOT + 20, scale: 1 };
  figure.src = await toImage(withoutGrid(panel.plot, style.fontFamily), shown);
  await figure.decode();
  draw.drawImage(figure, EDGE / 2, TOP - 20);
  for (const callout of panel.frame.querySelectorAll(".bnviz-callout:not([hidden])")) {
    const box = callout.getBoundingClientRect();
    const whole = panel.plot.getBoundingClientRect();
    const x = EDGE / 2 + ((box.left - whole.left) / whole.width) * shown.width;
    const y = TOP - 20 + ((box.top + box.height / 2 - whole.top) / whole.height) * shown.height;
    draw.font = `700 16px ${style.fontFamily}`;
    const lines = callout.textContent.split("\n");
    const width = Math.max(...lines.map((line) => draw.measureText(line).width)) + 20;
    const tall = 20 * lines.length + 10;
    draw.fillStyle = paper;
    draw.strokeStyle = getComputedStyle(callout).color;
    draw.lineWidth = 2;
    draw.beginPath();
    draw.roundRect(x, y - tall / 2, width, tall, 8);
    draw.fill();
    draw.stroke();
    lines.forEach((line, i) => write(line, x + 10, y - tall / 2 + 20 + 20 * i, 16, draw.strokeStyle, { weight: 700 }));
  }
  write("bnviz", EDGE, HEIGHT - 22, 22, ink, { weight: 700 });
  if (!HERE_ONLY.has(location.hostname)) write(location.host, EDGE + 80, HEIGHT - 22, 18, muted, { weight: 400 });
  write(view.t("sharing_break.at", { step: scene?.step ?? 0, rate: written(view.link.values.learning_rate) }), WIDTH - EDGE, HEIGHT - 22, 18, muted, { weight: 400, align: "right" });
  return canvasPng(canvas);
}
