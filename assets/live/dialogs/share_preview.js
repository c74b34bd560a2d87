// What a link will do, said before anybody follows it: read from the link itself, so that it cannot
// say anything else than the link does.

import { count, format } from "../lib/format.js";

const MOST = 3; // changes that are named
const NO_CHARTS = "none"; // as in bnviz/ui/lab_query.py

/**
 * @param link the whole address
 * @param known {preset, labels: names of the knobs, chart: name of a chart by its key, hidden: name of a
 *   control by its key, step, changes: [{step, values, drag}]}
 * @param t words of assets/texts/<language>/share.toml, under "sharing"
 * @returns sentences
 */
export function previewOf(link, known, t) {
  const query = new URL(link).searchParams;
  const say = (key, values) => t(`sharing.${key}`, values);
  const watched = query.has("run");
  const settings = settingsOf(query, known, say);
  const lines = watched
    ? [query.has("at") ? say("watch_at", { step: count(query.get("at")) }) : say("watch_does", { step: count(known.step) }), say("watch_ended", { settings })]
    : [say("copy_does", { settings }), logOf(known, say)];
  if (query.get("claim")) lines.push(say("claim"));
  if (query.get("charts") === NO_CHARTS) lines.push(say("no_charts"));
  else if (query.get("charts")) lines.push(say("charts", { names: named(query.get("charts"), known.chart) }));
  if (query.get("present") === "1") lines.push(say("large"));
  if (query.get("paused") === "1") lines.push(say("paused"));
  if (query.get("hide")) lines.push(say("without", { names: named(query.get("hide"), known.hidden) }));
  return lines;
}

/** The preset, and the knobs that the link sets otherwise. */
function settingsOf(query, { preset, labels }, say) {
  const knobs = [...query].filter(([name]) => name in labels).map(([name, value]) => knob(labels, name, value));
  return knobs.length ? say("settings_with", { preset, knobs: knobs.join(", ") }) : say("settings", { preset });
}

/** The live changes that such a run will not repeat; of a drag its last value. */
function logOf({ changes, labels }, say) {
  const made = changes.filter(({ drag }, i) => !drag || changes[i + 1]?.drag !== drag);
  if (!made.length) return say("no_log");
  const first = made.slice(0, MOST).map(({ step, values }) => say("change", {
    step: count(step), knobs: Object.entries(values).map(([name, value]) => knob(labels, name, format(value))).join(", "),
  })).join("; ");
  const more = made.length - MOST;
  return say("log", { changes: more > 0 ? say("log_more", { changes: first, count: more }) : first });
}

function knob(labels, name, value) {
  const label = labels[name] ?? name.replaceAll("_", " ");
  return `${label[0].toLowerCase()}${label.slice(1)} ${value}`;
}

function named(text, name) {
  return text.split(",").map(name).join(", ");
}
