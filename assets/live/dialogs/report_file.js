// A report as a page without scripts, and as Markdown. Both forms contain a block of JSON with the numbers.
// assets/lessons/report_files.js finds this block, and bnviz/lessons/report.py reads it.

import { escapeText } from "./drawn_guess.js";

// The page must not load or run anything, so its pictures are embedded.
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";
const STYLE = `@page{size:A4;margin:14mm 16mm}
body{font:15px/1.45 system-ui,sans-serif;max-width:820px;margin:1.5rem auto;padding:0 1rem;color:#1b1f24;background:#fff;overflow-wrap:anywhere}
h1{font-size:26px;line-height:1.2;margin:0 0 .2rem}h2{font-size:17px;margin:1.2rem 0 .2rem;break-after:avoid}p,ul{margin:0 0 .5rem}
.who{color:#57606a}.charts{display:flex;flex-wrap:wrap;gap:.8rem 1rem}figure{margin:0;flex:1 1 100%;break-inside:avoid}.half{flex:1 1 45%}
figcaption{font-size:13px}img{display:block;width:100%;height:auto}table{border-collapse:collapse;width:100%;break-inside:avoid}
th,td{text-align:left;vertical-align:top;border:1px solid #a3a9b0;padding:.3rem .5rem;overflow-wrap:normal}.words{white-space:pre-wrap;border-left:3px solid #1b1f24;padding-left:.8rem}
@media print{body{margin:0;padding:0;max-width:none}}@media(max-width:600px){.half{flex-basis:100%}}`;

/**
 * Return the report as an HTML page.
 * @param report result of `gather` in report.js
 * @param t translator of `report.toml`
 */
export function reportPage(report, t) {
  const block = JSON.stringify(report.block);
  const parts = sections(report, t).map(({ title, lines = [], listed = [], words = "", table = null, charts = [] }) => [
    title && `<h2>${escapeText(title)}</h2>`, ...lines.map((line) => `<p>${linked(line)}</p>`),
    listed.length ? `<ul>${listed.map((line) => `<li>${escapeText(line)}</li>`).join("")}</ul>` : "",
    words && `<p class="words">${escapeText(words)}</p>`, table ? tableHtml(table) : "",
    charts.length ? `<div class="charts">${charts.map(figureHtml).join("\n")}</div>` : "",
  ].filter(Boolean).join("\n"));
  return `<!doctype html><html lang="${escapeText(report.language)}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="viewport" content="width=device-width">
<title>${escapeText(report.title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeText(report.title)}</h1>${report.who ? `<p class="who">${escapeText(report.who)}</p>` : ""}
${parts.join("\n")}
<script type="application/json" id="bnviz-report">${block.replace(/</g, "\\u003c")}</script></body></html>
`;
}

/** Return the report as Markdown. The pictures are at the end, so that the text before them is easy to edit. */
export function reportMarkdown(report, t) {
  const figures = [...report.drawn, ...report.charts];
  const parts = sections(report, t).flatMap(({ title, lines = [], listed = [], words = "", table = null, charts = [] }) => [
    title && `## ${title}`, ...lines.map((line) => (isLink(line) ? `<${line}>` : line)), listed.map((line) => `- ${line}`).join("\n"),
    words && words.split("\n").map((line) => `> ${line}`).join("\n"),
    table && [table.head, table.head.map(() => "---"), ...table.rows].map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n"),
    ...charts.map((chart) => `**${chart.title}** ${chart.subtitle}\n\n![${chart.title}][chart-${figures.indexOf(chart) + 1}]`),
  ]);
  const pictures = figures.map(({ svg }, at) => `[chart-${at + 1}]: ${address(svg)}`);
  return `${[`# ${report.title}`, report.who, ...parts, t("part.machines"), `\`\`\`json\n${JSON.stringify(report.block)}\n\`\`\``, pictures.join("\n")]
    .filter(Boolean).join("\n\n")}\n`;
}

/** Return the sections of a report, in reading order. */
function sections(report, t) {
  const lesson = report.question !== undefined;
  const { verdict, changes, collect } = report;
  return [
    lesson && { title: t("part.question"), lines: report.question },
    lesson && { title: t("part.guess"), lines: [report.guess || t("part.no_guess")], charts: report.drawn },
    { title: t("part.setting"), ...(report.setting.length ? { listed: report.setting } : { lines: [t(lesson ? "part.own_setting" : "part.preset_setting")] }) },
    changes.length && { title: t("part.changes"), listed: changes },
    { title: t("part.charts", { step: report.chartsStep }), charts: report.charts },
    { title: t("part.numbers", { step: report.step }), table: {
      head: ["network", "accuracy", "loss", "told"].map((name) => t(`part.${name}`)), rows: report.rows.map(({ label, accuracy, loss, told }) => [label, accuracy, loss, told]),
    } },
    verdict && { title: t("part.seen"), lines: verdict.sentences },
    { title: t("part.words"), ...(report.words ? { words: report.words } : { lines: [t("part.no_words")] }) },
    { title: t("part.again"), lines: [report.link, ...(collect ? [t(lesson ? "part.again_lesson" : "part.again_long"), collect] : lesson ? [] : [t("part.again_lab", { step: report.step })])] },
  ].filter(Boolean);
}

const isLink = (line) => /^https?:\/\//.test(line);
const linked = (line) => (isLink(line) ? `<a href="${escapeText(line)}">${escapeText(line)}</a>` : escapeText(line));

function tableHtml({ head, rows }) {
  const row = (cells, tag) => `<tr>${cells.map((cell) => `<${tag}>${escapeText(cell)}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${row(head, "th")}</thead><tbody>${rows.map((cells) => row(cells, "td")).join("")}</tbody></table>`;
}

function figureHtml({ title, subtitle, svg, half }) {
  return `<figure${half ? ' class="half"' : ""}><figcaption><b>${escapeText(title)}</b> ${escapeText(subtitle)}</figcaption><img alt="${escapeText(title)}" src="${address(svg)}"></figure>`;
}

/** Return a picture as a data URL. */
function address(svg) {
  const bytes = new TextEncoder().encode(svg);
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return `data:image/svg+xml;base64,${btoa(text)}`;
}
