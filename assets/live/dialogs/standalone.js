// The charts as one HTML file that needs no network: Plotly, figures and sentences inside.

import { plotlyUrl } from "../charts/plotly.js";
import { commandLine } from "./command_line.js";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;padding:0 1rem;
color:COLOUR;background:PAPER}figure{margin:2rem 0}pre{white-space:pre-wrap}h2{margin-bottom:0}`;

/** Text of the whole page. @throws Error if Plotly's source cannot be fetched */
export async function standalonePage(view) {
  const { data, t } = view;
  const answer = await fetch(plotlyUrl(data.base, data.version));
  if (!answer.ok) throw new Error(`${answer.status}`);
  const source = await answer.text();
  const charts = [...view.charts.panels.values()]
    .filter((panel) => panel.shown && panel.mounted)
    .map((panel) => ({
      title: panel.title.textContent,
      subtitle: [panel.measures.said, panel.note].map(({ textContent }) => textContent).filter(Boolean).join(" "),
      ...panel.patcher.snapshot(),
    }));
  const scene = view.scene();
  const title = t("export.page_title", { step: scene?.step ?? 0 });
  const sentences = [...view.cards.element.querySelectorAll("article")].map((card) => ({
    headline: card.querySelector("h2").textContent,
    detail: [...card.querySelectorAll(".bnviz-detail")].map(plainText).join(" ").trim(),
    accuracy: `${t("cards.test_accuracy")}: ${card.querySelector(".bnviz-accuracy").textContent}`,
  }));
  const content = { title, sentences, charts, command: commandLine(data.command, view.store) };
  const colours = data.dark ? ["#e6e9ee", "#0e1117"] : ["#1b1f24", "#ffffff"];
  return page(title, STYLE.replace("COLOUR", colours[0]).replace("PAPER", colours[1]), source, content);
}

/** The words of a sentence without what its terms of art say. */
function plainText(element) {
  const copy = element.cloneNode(true);
  for (const said of copy.querySelectorAll(".bnviz-says")) said.remove();
  return copy.textContent;
}

function page(title, style, source, content) {
  return [
    `<!doctype html><html lang="${document.documentElement.lang}"><head><meta charset="utf-8"><title>${escapeText(title)}</title>`,
    `<style>${style}</style></head><body>`,
    `<script>${source.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--")}</script>`,
    `<script>(${draw.toString()})(${inScript(content)})</script></body></html>`,
  ].join("\n");
}

/** JSON that can stand in a script element. */
export function inScript(value) {
  const plain = JSON.stringify(value, (key, part) => {
    if (ArrayBuffer.isView(part)) return Array.from(part, (x) => (Number.isFinite(x) ? x : null));
    return part;
  });
  return plain.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Runs in the exported page, so it uses nothing from this module. */
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
