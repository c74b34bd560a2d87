// Texts of a chart: subtitle, explanation, notes on values that are older than the step shown, and the data as a table.

import { readField } from "../data/frame.js";
import { seriesKey } from "../data/time_series.js";
import { button, fill, h, setText, table as dataTable } from "../lib/dom.js";
import { format } from "../lib/format.js";
import { bracketed, joinList, joinSentences } from "../lib/joining.js";
import { term, termsIn } from "../lib/terms.js";
import { fillTemplate } from "../lib/texts.js";

const ROWS = 20; // maximum number of rows of a table over time

/** Return the subtitle of a chart. It always states the step shown. */
function subtitleOf({ subtitle }, step, t) {
  if (subtitle.includes("{step}")) return fillTemplate(subtitle, { step });
  return `${t("chart.at_step", { step })}, ${subtitle}`;
}

/** Return the caption of a chart for screen readers. */
export function captionOf({ table }, step) {
  return fillTemplate(table.caption, { step });
}

/**
 * Return notes on probes whose values are older than the step shown. A note names the networks that it is about, unless
 * it is about all of them. Networks that have stopped are left out, because their rows already say so.
 * @param labels names of the networks, by norm
 * @returns texts
 */
export function agesOf({ needs }, { frame, step, rewound }, labels, t) {
  const going = Object.entries(frame.networks).filter(([, { state }]) => state !== "diverged");
  return needs.flatMap((probe) => {
    const all = going.map(([norm, network]) => ({ norm, at: network.measured_at?.[probe] }));
    const measured = all.filter(({ at }) => at !== undefined);
    const name = t(`probe.${probe}`);
    if (all.length && !measured.length) return [t(rewound ? "chart.unmeasured" : "chart.measuring", { probe: name, step })];
    const old = measured.filter(({ at }) => at < step);
    if (!old.length) return [];
    const whose = joinList(old.map(({ norm }) => labels[norm]));
    const key = old.length < measured.length ? "chart.older_of" : "chart.older";
    const at = Math.min(...old.map((one) => one.at));
    return [t(key, { probe: name, labels: whose, step: at })];
  });
}

/** Exact description of what a chart measures, hidden until the reader presses its "i" button. */
export class ChartExplanation {
  subtitle = h("p.bnviz-subtitle");
  #spec;
  #view;

  /**
   * @param spec a chart's JSON
   * @param view {id, t, data: {texts}}
   */
  constructor(spec, view) {
    this.#spec = spec;
    this.#view = view;
    const { t } = view;
    const id = `bnviz-told-${view.id}-${spec.name}`;
    const more = joinSentences([spec.help, spec.time && t("chart.gap"), spec.source]);
    const words = this.#terms();
    this.element = h("div.bnviz-told", { id, hidden: true }, this.subtitle,
      more ? h("p", more) : null, words.length ? h("p.bnviz-words", words) : null);
    this.sign = button("i", () => this.#toggle(), {
      className: "bnviz-icon bnviz-measures", title: t("chart.measures"), aria: t("chart.measures_of", spec),
      "aria-expanded": "false", "aria-controls": id,
    });
  }

  /**
   * Terms of the subtitle that the glossary explains. They are listed below the subtitle, because the subtitle is
   * rewritten at each step.
   */
  #terms() {
    const { glossary } = this.#view.data.texts;
    const { title, look, subtitle } = this.#spec;
    const known = termsIn(`${title} ${look}`, glossary); // explained there
    return [...termsIn(subtitle, glossary)].filter(([key]) => !known.has(key)).map(([key, word]) => term(key, [word], glossary));
  }

  #toggle() {
    this.element.hidden = !this.element.hidden;
    this.sign.setAttribute("aria-expanded", !this.element.hidden);
  }

  draw(step) {
    setText(this.subtitle, subtitleOf(this.#spec, step, this.#view.t));
  }
}

/**
 * Fill an element with a chart's data as a table, and with their source.
 *
 * @param selected chosen option of each selector, by the selector's name
 */
export function fillTable(element, { table, source }, scene, selected, t) {
  const series = table.rows === "series";
  const { head, rows, total } = series ? overTime(table, scene, selected) : byName(table, scene, selected, t);
  const at = t("chart.at_step", { step: scene.step });
  const listed = series ? t("chart.listed", { at, count: rows.length, total }) : at;
  fill(element, dataTable(head, rows, bracketed(captionOf({ table }, scene.step), listed)), source && h("p", source));
}

/** Return a table with one row per layer or unit: {head, rows}. */
function byName(table, scene, selected, t) {
  const columns = table.columns.map((column) => readField(scene.frame, column, selected));
  const rows = table.row_names.map((name, i) => [
    name,
    ...columns.map((found, j) =>
      found && i < found.data.length ? format(found.data[i], table.columns[j].format) : "",
    ),
  ]);
  const head = table.columns.map(({ field, label }) => {
    const step = scene.frame.measuredAt(field);
    return step === scene.step ? label : bracketed(label, t("chart.at_step", { step }));
  });
  return { head: ["", ...head], rows };
}

/**
 * Return a table over time, with at most ROWS rows. The steps are evenly spaced up to the step shown, and the newest
 * step comes first.
 */
function overTime(table, scene, selected) {
  const columns = table.columns.map((column) =>
    scene.store.series.get(seriesKey(column.field, column.index, selected)),
  );
  // If the table has columns of probes, use only the steps of the probes, because losses are known at every step.
  const measured = columns.filter((_, j) => table.columns[j].field.split(".").length > 2);
  const known = [...new Set((measured.length ? measured : columns).flatMap((column) => column.steps))];
  const steps = known.filter((step) => step <= scene.step).sort((a, b) => b - a);
  const every = Math.max(1, Math.ceil(steps.length / ROWS));
  const picked = steps.filter((_, i) => i % every === 0);
  const rows = picked.map((step) => [
    String(step),
    ...columns.map((column, j) => {
      const at = column.steps.indexOf(step);
      return at < 0 ? "" : format(column.values[at], table.columns[j].format);
    }),
  ]);
  return { head: [table.row_names, ...table.columns.map(({ label }) => label)], rows, total: steps.length };
}
