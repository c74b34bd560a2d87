// The dialog for exporting a run: its data, a PyTorch script that repeats it, its weights, its charts as one HTML file
// that works offline, and the command line that repeats the run.

import { plotlyUrl } from "../charts/loading.js";
import { h, pill } from "../lib/dom.js";
import { joinSentences, labelled } from "../lib/joining.js";
import { changeText } from "../lib/live_actions.js";
import { saveFile } from "../lib/save_file.js";
import { plainText } from "../lib/terms.js";
import { copyField, dialog, workStatus } from "./dialog.js";
import { escapeText } from "./drawn_guess.js";

const PRINTED = 20; // approximate number of lines that the command prints
const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;padding:0 1rem;
color:COLOUR;background:PAPER}figure{margin:2rem 0}pre{white-space:pre-wrap}h2{margin-bottom:0}`;

export function openExport(view) {
  const { data, t } = view;
  const file = (kind, query = "") =>
    h("a.bnviz-pill", {
      href: `${data.base}/export/${data.run}.${kind}${query}`, download: exportName(data.run, kind),
    }, t(`export.${kind}`));
  const status = workStatus(t, t("export.working"));
  const page = pill(t("export.html"), () => status.doing(() => savePage(view)), { "data-control": "export_html" });
  dialog(view, t("export.title"),
    h("p", t("export.data")), h("div.bnviz-pills", file("csv"), file("json")),
    h("p", t("export.code")), h("div.bnviz-pills", file("py", `?steps=${newestStep(view.store)}`), file("npz"), digitsOf(view)),
    h("p", t("export.charts")), h("div.bnviz-pills", page, status),
    data.report ? h("p", t("report.in_export")) : null,
    data.report ? h("div.bnviz-pills", reportButton(view)) : null,
    data.talk?.recorded ? recordingOf(view) : null,
    copyField(view, t("export.command"), commandLine(data.command, view.store)),
    hasPath(view.store) ? h("p", h("small", t("export.path"))) : null,
  );
}

/** Return a link to the digits that the script loads, or null if the run has other data. */
function digitsOf({ data, store, t }) {
  if (data.config?.dataset !== "digits" && !store.standIn) return null;
  return h("a.bnviz-pill", { href: `${data.base}/scripts/bnviz-digits.npz`, download: true }, t("export.digits"));
}

/** Create a button that closes this dialog and opens the report dialog. */
function reportButton(view) {
  return pill(view.t("report.open"), ({ target }) => {
    target.closest("dialog").close();
    view.act("report");
  }, { title: view.t("report.open_help"), "data-control": "report" });
}

/** Return a link to the recording of a talk, a file that can be played offline. */
function recordingOf({ data, t }) {
  const query = new URLSearchParams(location.search).get("lang");
  const href = `${data.base}/recording/${data.talk.name}.html${query ? `?lang=${encodeURIComponent(query)}` : ""}`;
  return h("p", h("a.bnviz-pill", { href, download: true, title: t("talks.take_help") }, t("talks.take")));
}

async function savePage(view) {
  saveFile(new Blob([await standalonePage(view)], { type: "text/html" }), `bnviz-${view.data.run}.html`);
}

/**
 * Return whether a knob was dragged. The values of a drag do not fit on the command line, so the exported file contains
 * them.
 */
function hasPath({ changes }) {
  return changes.some(({ until }) => until !== undefined);
}

function newestStep({ live }) {
  return live?.step ?? 0;
}

/** Return the name of the file with the run's data. */
function exportName(run, kind) {
  return `bnviz-${run}.${kind}`;
}

/**
 * Return the command line that repeats the run up to its newest step, including its live changes.
 *
 * @param command "python -m bnviz train --set …", from the page
 * @param store {run, live: newest frame, changes}
 */
export function commandLine(command, store) {
  if (!command) return "";
  const { run, changes } = store;
  const steps = newestStep(store);
  const given = command.replace(/\s--(?:steps|every|changes?)(?:\s+|=)\S+/g, "");
  const log = hasPath(store) ? [` --changes ${exportName(run, "json")}`] : changes.flatMap(({ step, values }) =>
    Object.entries(values).map(([name, value]) => ` --change ${step}:${name}=${changeText(name, value)}`),
  );
  const every = Math.max(1, Math.ceil(steps / PRINTED));
  return `${given}${log.join("")} --steps ${steps} --every ${every}`;
}

/**
 * Build the HTML file from Plotly, the figures of the page and the sentences of the cards.
 *
 * @throws Error if Plotly cannot be fetched
 */
async function standalonePage(view) {
  const { data, t } = view;
  const answer = await fetch(plotlyUrl(data.base, data.version));
  if (!answer.ok) throw new Error(`Plotly: HTTP ${answer.status}`);
  const source = await answer.text();
  const charts = [...view.charts.panels.values()]
    .filter((panel) => panel.shown && panel.mounted)
    .map((panel) => ({
      title: plainText(panel.title),
      subtitle: joinSentences([panel.explanation.subtitle, panel.note].map(plainText)),
      ...panel.patcher.snapshot(),
    }));
  const scene = view.scene();
  const title = t("export.page_title", { step: scene?.step ?? 0 });
  const sentences = [...view.cards.element.querySelectorAll("article")].map((card) => ({
    headline: plainText(card.querySelector("h2")),
    detail: joinSentences([...card.querySelectorAll(".bnviz-detail")].map(plainText)).trim(),
    accuracy: labelled(t("cards.test_accuracy"), card.querySelector(".bnviz-accuracy").textContent),
  }));
  const content = { title, sentences, charts, command: commandLine(data.command, view.store) };
  const colours = data.dark ? ["#e6e9ee", "#0e1117"] : ["#1b1f24", "#ffffff"];
  return page(title, STYLE.replace("COLOUR", colours[0]).replace("PAPER", colours[1]), source, content);
}

function page(title, style, source, content) {
  return [
    `<!doctype html><html lang="${document.documentElement.lang}"><head><meta charset="utf-8"><title>${escapeText(title)}</title>`,
    `<style>${style}</style></head><body>`,
    `<script>${source.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--")}</script>`,
    `<script>(${draw.toString()})(${inScript(content)})</script></body></html>`,
  ].join("\n");
}

/** Return a value as JSON for a script element. Typed arrays become lists in which non-finite numbers are null. */
function inScript(value) {
  const plain = JSON.stringify(value, (key, part) => {
    if (ArrayBuffer.isView(part)) return Array.from(part, (x) => (Number.isFinite(x) ? x : null));
    return part;
  });
  return plain.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Draw the exported page. The page contains only this function, so it must not use anything else from this module. */
function draw(content) {
  const add = (tag, text, parent = document.body) => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  add("h1", content.title);
  for (const { headline, detail, accuracy } of content.sentences) {
    add("h2", headline);
    add("p", `${accuracy}. ${detail}`);
  }
  for (const { title, subtitle, data, layout } of content.charts) {
    const figure = add("figure", "");
    add("h2", title, figure);
    add("figcaption", subtitle, figure);
    const plot = add("div", "", figure);
    delete layout.width;
    window.Plotly.newPlot(plot, data, { ...layout, autosize: true }, { responsive: true });
  }
  add("pre", content.command);
}
