// Dialog for sharing a broken network on the home page: a link that repeats the learning-rate changes, and a picture of
// the networks in their present state.

import { links } from "../../contract.js";
import { readable } from "../data/address.js";
import { rows } from "../data/frame.js";
import { knobsAt } from "../data/knob_link.js";
import { pixelsOf } from "../lib/digit_image.js";
import { h, pill, setText } from "../lib/dom.js";
import { written } from "../lib/format.js";
import { canvasPng } from "../lib/save_file.js";
import { HEIGHT, WIDTH, drawBreakPicture } from "./break_picture.js";
import { copyField, dialog } from "./dialog.js";

const LAYER = /^(?:layer|time) (\d+)$/; // pattern of the engine's layer names
// hosts that do not work as an address on another computer
const HERE_ONLY = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Encode the learning-rate changes for a link, each as `step:rate`. Changes of one drag are joined by "~", and all
 * others by ",": `46:0.5~47:1.5,120:0.1`.
 *
 * @returns {text, cut: whether the text contains only the first changes because there are too many}
 */
export function replayOf(changes) {
  const rates = [];
  for (const { step, values, drag = 0 } of changes) {
    if (!("learning_rate" in values)) continue;
    const last = rates.at(-1);
    if (last?.step === step) last.rate = values.learning_rate; // only the last change of a step takes effect
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

export function openShareBreak(view) {
  const { data, t } = view;
  const field = copyField(view, t("sharing_break.link"), "");
  const picture = h("img.bnviz-share-picture", { width: WIDTH, height: HEIGHT, alt: t("sharing_break.alt") });
  const save = h("a.bnviz-pill.bnviz-filled", { download: "bnviz.png", hidden: true }, t("sharing_break.save"));
  const status = h("small", { role: "status" }, t("sharing_break.working"));
  const box = dialog(view, t("sharing_break.title"), picture, h("div.bnviz-pills", save, status), field);
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
    if (!navigator.canShare?.(shared)) return;
    save.classList.remove("bnviz-filled");
    save.before(pill(t("sharing_break.send"), () => navigator.share(shared).catch(() => {}), { className: "bnviz-filled" }));
  }).catch((error) => setText(status, t("export.failed", { reason: error.message })));
}

/**
 * Return the value of a CSS colour variable. The variable's definition has one value for light and one for dark, which
 * a canvas does not support.
 */
function colourOf(root, name) {
  const probe = root.appendChild(h("i", { hidden: true }));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * Return the earliest break of any network in the frame shown, or else in the newest frame. Return null if no network
 * has broken.
 */
function firstBreak({ frame, live }) {
  const breaks = ({ networks }) => Object.values(networks).map(({ broke }) => broke).filter(Boolean);
  const [first = null] = [breaks(frame), breaks(live)].find(({ length }) => length)?.sort((a, b) => a.step - b.step) ?? [];
  return first;
}

/** Return a sentence with the learning rate at which a network broke, or a question if no network has broken. */
function footOf({ store, link, readings, t }, broke) {
  if (!broke && !readings.broken.length) return t("sharing_break.unbroken");
  const { learning_rate: rate } = broke && store.initial ? knobsAt(store.initial, store.changes, broke.step) : link.values;
  return t("sharing_break.foot", { rate: written(rate) });
}

/**
 * Return the headline of a network. For a shaken network, the headline states how many images are classified correctly.
 */
function doesOf({ state, answers }, labels, t) {
  if (state !== "shaken" || !labels.length) return t(`sharing_break.does.${state}`);
  return t("sharing_break.right", { right: labels.filter((label, i) => answers[i] === label).length, all: labels.length });
}

/** Return the contents of the picture at the step shown. */
export function pictureOf(view) {
  const { data, readings, t } = view;
  const scene = view.scene();
  const { frame } = scene;
  const { images, zones } = data.block;
  const first = firstBreak(scene);
  const layer = Number(LAYER.exec(first?.layer ?? "")?.[1] ?? 0);
  const hill = (field) => {
    const all = frame.field(field);
    return all && Array.from(rows(all).at(layer - 1)); // if no layer is known, `layer` is 0, which selects the last row
  };
  const networks = data.norms.map((norm) => ({
    answers: readings.of(norm).answers, colours: data.colours[norm],
    does: t("sharing_break.headline", { name: t(`sharing_break.name.${norm}`), does: doesOf(readings.of(norm), images?.labels ?? [], t) }),
    now: hill(`${norm}.histogram.nonlinearity_input`), start: hill(`${norm}.start_histogram.nonlinearity_input`),
  }));
  const brands = HERE_ONLY.has(location.hostname) ? ["bnviz"] : [`bnviz · ${location.host}`, location.host, "bnviz"];
  const [paper, ink, muted, edge, shade] = ["--paper", "--ink", "--muted", "--edge", "--shade"].map((name) => colourOf(view.root, name));
  return {
    images: images ? pixelsOf(images) : [], labels: images?.labels ?? [], networks, zones, brands,
    foot: footOf(view, first),
    family: getComputedStyle(view.root).fontFamily, paper, ink, muted, edge, shade,
  };
}

async function drawPicture(view) {
  const canvas = h("canvas", { width: WIDTH, height: HEIGHT });
  await document.fonts.ready;
  drawBreakPicture(canvas, pictureOf(view));
  return canvasPng(canvas);
}
