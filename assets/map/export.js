// Export: the cells as files, the planes as a picture, the command that draws the same map.

import { copyField, dialog } from "../live/dialogs/dialog.js";
import { button, h, setText } from "../live/lib/dom.js";
import { asPng, asSvg } from "./picture.js";

export function openExport(view) {
  const { data, t } = view;
  const name = (kind) => `bnviz-map-${data.key.slice(0, 8)}.${kind}`;
  const status = h("small", { role: "status" });
  const files = (data.key ? ["csv", "json"] : []).map((kind) =>
    h("a", { class: "bnviz-pill", href: `${data.base}/maps/${data.key}.${kind}`, download: name(kind), "data-export": kind }, t(`export.${kind}`)));
  const picture = (kind, make) => {
    const pill = button(t(`export.${kind}`), async () => {
      try {
        save(await make(view), name(kind));
        setText(status, "");
      } catch (error) {
        setText(status, t("export.failed", { reason: error.message }));
      }
    }, { className: "bnviz-pill" });
    pill.dataset.export = kind;
    return pill;
  };
  dialog(view, t("export.title"),
    h("p", {}, t("export.data")), h("div", { class: "bnviz-pills" }, ...files),
    h("p", {}, t("export.picture")), h("div", { class: "bnviz-pills" }, picture("png", asPng), picture("svg", asSvg), status),
    data.command ? copyField(view, t("export.command"), data.command).element : null,
  ).showModal();
}

function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
