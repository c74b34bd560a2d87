// The dialog that saves a chart as a picture for a slide. The reader chooses the shape, a light or dark theme, and
// whether the title is included.

import { loadTemplates } from "../charts/loading.js";
import { drawSlide, SHAPES } from "../charts/slide.js";
import { knobsAt } from "../data/knob_link.js";
import { checkbox, h, pill, segments, setText } from "../lib/dom.js";
import { format } from "../lib/format.js";
import { joinList } from "../lib/joining.js";
import { factorWords } from "../lib/live_actions.js";
import { pngOf, saveFile } from "../lib/save_file.js";
import { readFromTab, storeInTab } from "../lib/storage.js";
import { plainText } from "../lib/terms.js";
import { dialog } from "./dialog.js";

const CHOSEN = "bnviz-picture"; // key of the reader's choices in the tab's storage

/**
 * Open the dialog for the chart of a panel. In the meantime, the Streamlit script builds the chart's figure with large
 * type.
 */
export function openPicture(view, { panel }) {
  const { data, t } = view;
  const choice = { shape: "wide", dark: Boolean(data.dark), titled: true, ...readFromTab(CHOSEN) };
  const image = h("img.bnviz-picture", { alt: t("picture.alt", { title: panel.spec.title }) });
  const status = h("small", { role: "status" });
  const save = { svg: pill(t("picture.svg"), () => saveAs("svg")), png: pill(t("picture.png"), () => saveAs("png"), { className: "bnviz-filled" }) };
  const box = dialog(view, t("picture.title", { title: panel.spec.title }),
    h("div.bnviz-picture-choices",
      choiceOf(view, "shape", Object.keys(SHAPES), choice.shape, (shape) => change({ shape })),
      choiceOf(view, "theme", ["light", "dark"], choice.dark ? "dark" : "light", (theme) => change({ dark: theme === "dark" })),
      checkbox(t("picture.titled"), (titled) => change({ titled }), choice.titled)),
    image, h("div.bnviz-pills", save.png, save.svg, status));
  box.classList.add("bnviz-picture-dialog");
  let svg = null;
  let step = 0;
  let address = null;
  let turn = 0;
  const change = (changed) => {
    Object.assign(choice, changed);
    storeInTab(CHOSEN, choice);
    show();
  };
  const busy = (yes) => {
    for (const one of Object.values(save)) one.disabled = yes;
    setText(status, yes ? t("picture.working") : "");
  };

  async function show() {
    const mine = ++turn;
    busy(true);
    image.style.aspectRatio = SHAPES[choice.shape].join(" / ");
    try {
      const found = await pictureOf(view, panel, choice);
      if (mine !== turn || !box.isConnected) return;
      ({ svg, step } = found);
      if (address) URL.revokeObjectURL(address);
      image.src = address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      busy(false);
    } catch (error) {
      if (mine === turn) setText(status, t("export.failed", { reason: error.message }));
    }
  }

  async function saveAs(kind) {
    const content = kind === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await pngOf(svg, SHAPES[choice.shape]);
    saveFile(content, `bnviz-${panel.spec.name}-${step}.${kind}`);
  }

  box.addEventListener("close", () => {
    turn += 1;
    if (address) URL.revokeObjectURL(address);
  });
  show();
}

function choiceOf({ id, t }, name, values, chosen, onchange) {
  return segments(t(`picture.${name}`), `bnviz-picture-${name}-${id}`, values.map((value) => [value, t(`picture.${value}`)]), chosen, onchange);
}

/** Draw the chart and return {svg: text, step}. */
async function pictureOf(view, panel, { shape, dark, titled }) {
  const { spec, selected, explanation } = panel;
  const made = await view.pictures.get(spec.name);
  const { id, colours } = made[dark ? "dark" : "light"];
  const { main: [large] } = await loadTemplates(view.data.base, id);
  // The run continues while the picture is drawn, so use one scene. Otherwise the figure and its text could show
  // different steps.
  const scene = view.scene();
  explanation.draw(scene.step);
  const svg = await drawSlide(view, large, scene, {
    selected, size: SHAPES[shape], dark, colours, title: titled ? titleOf(panel) : "",
    subtitle: plainText(explanation.subtitle), line: lineOf(view, scene),
  });
  return { svg, step: scene.step };
}

/** Return the chart's title, followed by the options chosen in the chart, such as a layer. */
function titleOf({ spec, title, selected }) {
  const chosen = spec.selectors.map(({ name, options }) => options[selected[name]]);
  return [plainText(title), ...chosen].join(" · ");
}

/** Return the line with the settings and the step, in the same words as on the page. */
function lineOf(view, scene) {
  const { data, store, t } = view;
  const known = store.initial ? knobsAt(store.initial, store.changes, scene.step + 1) : view.link.values;
  const config = { ...data.config, ...known };
  const dataset = (store.standIn ? data.stand_in_label : data.dataset_label) ?? config.dataset;
  const rate = joinList((config.learning_rates ?? [config.learning_rate]).map(format));
  const setting = t("picture.line", { dataset, depth: config.depth, width: config.width, activation: config.activation, rate, batch: config.batch_size, seed: config.seed });
  const more = data.picture_knobs.map(([label, value]) => `${label} ${value}`);
  const factors = factorWords(config.rate_factors, t);
  if (factors) more.unshift(factors);
  return [setting, ...more, t("chart.at_step", { step: scene.step }), "bnviz"].join(" · ");
}
