// Dialog for a report on a run, for example for homework. It adds the learner's name and text to the contents of the
// page and offers the report as HTML, as Markdown or for printing. Nothing is sent to a server.

import { links, reports } from "../../contract.js";
import { readable } from "../data/address.js";
import { h, pill, setText } from "../lib/dom.js";
import { formatNumber, percent, written } from "../lib/format.js";
import { joinList, joinSentences, labelled } from "../lib/joining.js";
import { changeText, isAction, scalingWords, valueWords, withoutPaths } from "../lib/live_actions.js";
import { saveFile } from "../lib/save_file.js";
import { readForGood, storeForGood } from "../lib/storage.js";
import { tellStory } from "../lib/texts.js";
import { dialog } from "./dialog.js";
import { drawnGuess } from "./drawn_guess.js";
import { reportMarkdown, reportPage } from "./report_file.js";

const KEPT = "bnviz-report"; // storage key of {who: the learner's name, words: {name of the lesson: text}}
const LONGEST_WORDS = 2000; // characters
const MOST_KEPT = 100; // texts
const MOST_NAMED = 12; // maximum number of changes listed on the page; the JSON block contains all changes

export function openReport(view) {
  const { data, store } = view;
  const t = (key, values) => view.t(`report.${key}`, values);
  const { name } = data.report;
  const kept = readKept();
  const keep = () => storeForGood(KEPT, kept);
  const who = h("input", { type: "text", maxlength: reports.longest_name, value: kept.who, autocomplete: "name", oninput: () => {
    kept.who = who.value;
    keep();
  } });
  const words = h("textarea", { rows: 5, maxlength: LONGEST_WORDS, oninput: () => {
    kept.words[name] = words.value;
    keep();
  } });
  words.value = kept.words[name] ?? "";
  const status = h("small", { role: "status" });
  const begun = (store.live?.step ?? 0) > 0;
  if (!begun) setText(status, t("not_begun"));
  const give = (key, deliver) => pill(t(key), async () => {
    setText(status, t("working"));
    try {
      deliver(await gather(view, who.value.trim(), words.value.trim()));
      setText(status, t("done"));
    } catch (error) {
      setText(status, t("failed", { reason: error.message }));
    }
  }, { disabled: !begun, "data-control": `report_${key}` });
  // The file name contains the learner's name, because a teacher may put the files of all learners into one folder.
  const own = () => who.value.trim().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 40);
  const file = (text, kind, type) => saveFile(new Blob([text], { type }), `${["bnviz", name, own()].filter(Boolean).join("-")}.${kind}`);
  dialog(view, t("title"), h("p", t("intro")),
    h("label.bnviz-report-field", t("who"), who), h("label.bnviz-report-field", t("words"), words),
    h("small", t("kept")),
    h("div.bnviz-pills",
      give("page", (found) => file(reportPage(found, t), "html", "text/html")),
      give("markdown", (found) => file(reportMarkdown(found, t), "md", "text/markdown")),
      give("print", (found) => printPage(reportPage(found, t))), status),
  );
}

/** Read the stored name and texts. Drop invalid values, because other scripts may write to the browser's storage. */
function readKept() {
  const kept = readForGood(KEPT) ?? {};
  const words = Object.entries(kept.words ?? {}).filter(([, text]) => typeof text === "string").slice(-MOST_KEPT);
  return { who: typeof kept.who === "string" ? kept.who.slice(0, reports.longest_name) : "", words: Object.fromEntries(words) };
}

/**
 * Collect the contents of a report, in the form that report_file.js needs.
 *
 * @throws Error if the changes cannot be fetched or a chart cannot be drawn
 */
async function gather(view, who, words) {
  const { data, store } = view;
  const { report } = data;
  const { live } = store;
  const [charts, changes] = await Promise.all([pictures(view), store.fetchChanges()]);
  const { link, whole } = linkAgain(report, live.step, changes);
  const networks = data.norms.filter((norm) => live.networks[norm]).map((norm) => [norm, live.networks[norm]]);
  return {
    ...report, who, words, link, charts, drawn: report.drawn ? [drawnFigure(report.drawn, view)] : [], step: live.step, chartsStep: view.scene().step, language: document.documentElement.lang,
    collect: whole ? "" : new URL(report.collect, location.origin).href,
    changes: toldChanges(changes.filter(({ step }) => step < live.step), view),
    rows: networks.map(([norm, network]) => ({
      label: data.labels[norm], accuracy: percent(network.test_accuracy, 1), loss: formatNumber(network.test_loss, 3),
      told: tellStory(data.texts, network.story, { label: data.labels[norm], step: live.step }).headline,
    })),
    block: {
      bnviz: "report", version: reports.report_format, link, who, step: live.step, changes,
      networks: Object.fromEntries(networks.map(([norm, { test_accuracy, test_loss, state }]) => [norm, { test_accuracy, test_loss, state }])),
      verdict: report.verdict?.outcome ? { outcome: report.verdict.outcome, answer: report.verdict.answer } : null,
    },
  };
}

/**
 * Return the link that repeats a run. A link to the lab contains the step and, if they fit into an address, all earlier
 * changes in the form that bnviz/ui/query_schema.py defines. A link to a lesson contains no changes.
 * @param report {link, planned: for a lesson, the planned changes as [[step, values]]}
 * @param step last step of the run
 * @returns {link, whole: whether the link alone reproduces the numbers of this run}
 */
export function linkAgain({ link: shared, planned }, step, changes) {
  const own = new URL(shared, location.origin);
  const made = changes.filter((change) => change.step < step).map(({ step: at, values }) => [at, Object.entries(values).sort()]);
  if (planned) {
    const wanted = planned.filter(([at]) => at < step).map(([at, values]) => [at, Object.entries(values).sort()]);
    return { link: own.href, whole: JSON.stringify(made) === JSON.stringify(wanted) };
  }
  const again = new URL(own);
  let named = "";
  const parts = made.flatMap(([at, values]) => values.map(([name, value]) => {
    const said = name === named ? "" : `${name}=`;
    named = name;
    return `${at}:${said}${changeText(name, value)}`;
  }));
  if (parts.length) again.searchParams.set("changes", parts.join("~"));
  again.searchParams.set("steps", step);
  const link = readable(again);
  const fits = link.length <= reports.longest_link && new Set(made.map(([at]) => at)).size <= links.most_changes;
  return fits ? { link, whole: true } : { link: own.href, whole: false };
}

/** Describe the changes in words. For a drag, give only the last value. */
function toldChanges(changes, { data, t }) {
  const made = withoutPaths(changes);
  const of = ([name, value]) => (isAction(name)
    ? scalingWords(value, { all: t("action.reported"), layer: t("action.reported_layer") })
    : labelled(data.knob_labels?.[name] ?? name,
      typeof value === "string" ? valueWords(value, t) : joinList([value].flat().map(written))));
  const lines = made.slice(0, MOST_NAMED).map(({ step, values }) => t("report.part.change", { step, values: joinList(Object.entries(values).map(of)) }));
  const more = made.length - lines.length;
  return more > 0 ? [...lines, t("report.part.more_changes", { count: more })] : lines;
}

/** Return the guess that the learner has drawn, as a chart of the report. */
function drawnFigure(guess, { t }) {
  const words = Object.fromEntries(["step", "drawn", "measured"].map((name) => [name, t(`report.part.${name}`, { curve: "{curve}" })]));
  const told = t(`report.part.${guess.text ? "drawn_help" : "drawn_alone"}`);
  return { title: t("report.part.drawn_title"), subtitle: joinSentences([told, guess.text]), svg: drawnGuess(guess, words), half: false };
}

/** Return the charts on the page as SVG in light colours, for paper. */
async function pictures(view) {
  const { charts, plotly, data, screen } = view;
  const Plotly = await plotly;
  const scene = view.scene();
  const panels = [];
  for (const panel of charts.panels.values()) if (panel.shown && (await panel.drawWhole(scene))) panels.push(panel);
  const widest = Math.max(...panels.map(({ plot }) => plot.clientWidth));
  const found = [];
  for (const { plot, spec, explanation, note, patcher } of panels) {
    const { data: traces, layout } = onPaper(patcher.snapshot(), data.report.colours);
    const [width, height] = [plot.clientWidth, plot.clientHeight];
    const svg = await Plotly.toImage({ data: traces, layout: { ...layout, width, height, autosize: false } },
      { format: "svg", width, height, imageDataOnly: true });
    found.push({
      title: spec.title, svg, half: !screen.narrow && width < 0.6 * widest,
      subtitle: joinSentences([explanation.subtitle, note].map(({ textContent }) => textContent)),
    });
  }
  return found;
}

/** Return a figure in which every colour of the dark theme is replaced by the corresponding light colour. */
function onPaper(value, colours) {
  if (typeof value === "string") {
    const start = value.startsWith("rgba(") ? value.slice(0, value.lastIndexOf(",") + 1) : value;
    return colours[value] ?? (start in colours ? colours[start] + value.slice(start.length) : value);
  }
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((part) => onPaper(part, colours));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, onPaper(part, colours)]));
}

/** Print a page on its own, from a hidden frame in which no scripts run. */
function printPage(source) {
  const frame = h("iframe.bnviz-unseen", { sandbox: "allow-same-origin allow-modals", "aria-hidden": "true", tabindex: -1, srcdoc: source });
  frame.addEventListener("load", async () => {
    const { contentWindow, contentDocument } = frame;
    await Promise.all([...contentDocument.images].map((image) => image.decode().catch(() => {})));
    contentWindow.addEventListener("afterprint", () => setTimeout(() => frame.remove()));
    contentWindow.print();
  });
  document.body.append(frame);
}
