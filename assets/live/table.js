// A chart as a table, for people who read rather than look. Filled when it is opened.

import { fill, h } from "./dom.js";
import { format } from "./format.js";
import { seriesKey } from "./series.js";
import { parseIndex, take } from "./typed.js";

const ROWS = 20;

export function fillTable(element, { table, source }, scene, selected, t) {
  if (!table) return fill(element, t("chart.no_data"));
  const { head, rows } =
    table.rows === "series" ? overTime(table, scene, selected) : byName(table, scene, selected);
  fill(
    element,
    h("table", {},
      h("caption", {}, `${table.caption} (${t("chart.at_step", { step: scene.step })})`),
      h("thead", {}, h("tr", {}, ...head.map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, ...rows.map(([name, ...cells]) =>
        h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell))))),
    ),
    source ? h("p", {}, source) : null,
  );
}

function byName(table, scene, selected) {
  const columns = table.columns.map((column) =>
    take(scene.frame.field(column.field), parseIndex(column.index, selected)),
  );
  const rows = table.row_names.map((name, i) => [
    name,
    ...columns.map((found, j) =>
      found && i < found.data.length ? format(found.data[i], table.columns[j].format) : "",
    ),
  ]);
  return { head: ["", ...table.columns.map(({ label }) => label)], rows };
}

/** At most 20 steps, evenly picked, the newest last. */
function overTime(table, scene, selected) {
  const columns = table.columns.map((column) =>
    scene.store.series.get(seriesKey(column.field, column.index, selected)),
  );
  const steps = [...new Set(columns.flatMap((column) => column.steps))].sort((a, b) => a - b);
  const every = Math.max(1, Math.ceil(steps.length / ROWS));
  const picked = steps.filter((_, i) => (steps.length - 1 - i) % every === 0);
  const rows = picked.map((step) => [
    String(step),
    ...columns.map((column, j) => {
      const at = column.steps.indexOf(step);
      return at < 0 ? "" : format(column.values[at], table.columns[j].format);
    }),
  ]);
  return { head: [table.row_names, ...table.columns.map(({ label }) => label)], rows };
}
