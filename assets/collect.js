// The page on which a teacher collects students' reports: pasted links, and files that are dropped or selected. Only
// the block of numbers in each file is sent to the Streamlit script.

import { reports } from "./contract.js";
import { readReports } from "./lessons/report_files.js";
import { button, differsAt, fill, h, pill, setHidden, setText } from "./live/lib/dom.js";
import { translator } from "./live/lib/texts.js";

/**
 * Draw the page. Streamlit calls this at each rerun.
 *
 * @param data see bnviz/ui/lessons/collect.py
 * @param setStateValue sends the links and files to the Streamlit script
 */
export default function mount({ parentElement, data, setStateValue }) {
  parentElement.setState = setStateValue; // valid until the next rerun
  if (!differsAt(parentElement, data.texts)) return;
  const t = translator(data.texts);
  let files = [];
  const count = h("span", { role: "status" });
  const list = h("ul.collect-problems");
  const problems = h("div", { role: "status", hidden: true }, list);
  const forget = button(t("forget"), () => {
    files = [];
    tellFiles([]);
  }, { className: "bnviz-link" });
  const tellFiles = (found) => {
    setText(count, files.length ? t("given", { count: files.length }) : "");
    setHidden(forget, !files.length);
    fill(list, found.map(([key, values]) => h("li", t(key, values))));
    setHidden(problems, !found.length);
  };
  const take = async (given) => {
    const { taken, problems: found } = await readReports(given);
    files = [...files, ...taken].slice(0, reports.most_handed_in);
    tellFiles(found);
  };
  const chosen = h("input", { type: "file", multiple: true, hidden: true, accept: ".html,.md,text/html,text/markdown", onchange: async () => {
    await take([...chosen.files]);
    chosen.value = ""; // so that the same file can be chosen again
  } });
  const links = h("textarea", { id: "collect-links", rows: 3, maxlength: data.longest_links, placeholder: t("links_help"), spellcheck: "false" });
  const over = (event) => {
    event.preventDefault();
    zone.classList.toggle("collect-over", event.type === "dragover");
  };
  const zone = h("div.collect-zone", { role: "group", "aria-label": t("files"), ondragover: over, ondragleave: over, ondrop: (event) => {
    over(event);
    take([...event.dataTransfer.files]);
  } }, h("span", t("drop")), pill(t("choose"), () => chosen.click()), chosen, count, forget);
  const show = pill(t("show"), () => parentElement.setState("given", { links: links.value, files }), { className: "bnviz-filled" });
  tellFiles([]);
  fill(parentElement, h("div.bnviz.collect", zone, problems, h("label", { for: "collect-links" }, t("links")), links, show));
}
