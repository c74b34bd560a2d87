// Export: the data, the charts as one file, the command line that reproduces the run.

import { button, h, setText } from "../lib/dom.js";
import { commandLine, exportName, hasPath } from "./command_line.js";
import { copyField, dialog } from "./dialog.js";
import { standalonePage } from "./standalone.js";

export function openExport(view) {
  const { data, t } = view;
  const file = (kind) =>
    h("a", {
      class: "bnviz-pill", href: `${data.base}/export/${data.run}.${kind}`, download: exportName(data.run, kind),
    }, t(`export.${kind}`));
  const status = h("small", { role: "status" });
  const page = button(t("export.html"), () => savePage(view, status), { className: "bnviz-pill" });
  page.dataset.control = "export_html";
  dialog(view, t("export.title"),
    h("p", {}, t("export.data")), h("div", { class: "bnviz-pills" }, file("csv"), file("json")),
    h("p", {}, t("export.charts")), h("div", { class: "bnviz-pills" }, page, status),
    data.talk ? recordingOf(view) : null,
    copyField(view, t("export.command"), commandLine(data.command, view.store)).element,
    hasPath(view.store) ? h("p", {}, h("small", {}, t("export.path"))) : null,
  ).showModal();
}

/** The whole talk, as it was recorded once: to be played without a network. */
function recordingOf({ data, t }) {
  const query = new URLSearchParams(location.search).get("lang");
  const href = `${data.base}/recording/${data.talk.name}.html${query ? `?lang=${encodeURIComponent(query)}` : ""}`;
  return h("p", {}, h("a", { class: "bnviz-pill", href, download: true, title: t("talks.take_help") }, t("talks.take")));
}

async function savePage(view, status) {
  const { t } = view;
  setText(status, t("export.working"));
  try {
    const blob = new Blob([await standalonePage(view)], { type: "text/html" });
    const link = h("a", { href: URL.createObjectURL(blob), download: `bnviz-${view.data.run}.html` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    setText(status, "");
  } catch (error) {
    setText(status, t("export.failed", { reason: error.message }));
  }
}
