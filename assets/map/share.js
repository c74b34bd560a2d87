// Share: the address of this map, to be copied or scanned.

import { copyField, dialog } from "../live/dialogs/dialog.js";
import { shareUrl } from "../live/dialogs/share.js";
import { h } from "../live/lib/dom.js";

export function openShare(view) {
  const { data, t } = view;
  const field = copyField(view, t("share.address"), "");
  const code = h("img", { class: "bnviz-qr", width: 180, height: 180, alt: t("share.qr") });
  const show = (present) => {
    const query = new URLSearchParams(location.search);
    query.delete("present");
    field.set(shareUrl(location.origin + location.pathname, query, { present }));
    code.src = `${data.base}/qr.svg?data=${encodeURIComponent(field.get())}`;
  };
  show(Boolean(data.present));
  dialog(view, t("share.title"), field.element,
    h("label", {}, h("input", { type: "checkbox", checked: Boolean(data.present), onchange: (event) => show(event.target.checked) }), " ", t("share.present")),
    code).showModal();
}
