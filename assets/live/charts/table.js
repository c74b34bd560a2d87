// A chart as a table, for people who read rather than look. Filled when it is opened.

import { seriesKey } from "../data/series.js";
import { readField } from "../data/typed_arrays.js";
import { fill, h } from "../lib/dom.js";
import { format } from "../lib/format.js";
import { captionOf } from "./chart_words.js";

const ROWS = 20;

export function fillTable(element, { table, source }, scene, selected, t) {
  if (!table) return fill(element, t("chart.no_data"));
  const series = table.rows === "series";
  const { head, rows, total } = series ? overTime(table, scene, selected) : byName(table, scene, selected, t);
  const at = t("chart.at_step", { step: scene.step });
  const said = series ? t("chart.listed", { at, count: rows.length, total }) : at;
  fill(
    element,
    h("table", {},
      h("caption", {}, `${captionOf({ table }, scene.step)} (${said})`),
      h("thead", {}, h("tr", {}, ...head.map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, ...rows.map(([name, ...cells]) =>
        h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell))))),
    ),
    source ? h("p", {}, source) : null,
  );
}

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
    return step === scene.step ? label : `${label} (${t("chart.at_step", { step })})`;
  });
  return { head: ["", ...head], rows };
}

/** At most 20 of the steps measured up to the one shown, evenly picked, the newest on top. */
function overTime(table, scene, selected) {
  const columns = table.columns.map((column) =>
    scene.store.series.get(seriesKey(column.field, column.index, selected)),
  );
  // What is known of every step stands beside what was measured at some.
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
