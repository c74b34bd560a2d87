// Share: the address of this map, to be copied or scanned, and what it will do.

import { copyField, dialog } from "../live/dialogs/dialog.js";
import { classAddress, ShareCode, shareUrl } from "../live/dialogs/share.js";
import { h, setText } from "../live/lib/dom.js";

export function openShare(view) {
  const { data, t } = view;
  const address = classAddress(data.class_address ?? null, t);
  const field = copyField(view, t("share.address"), "");
  const does = h("p", { class: "bnviz-share-does" });
  const code = new ShareCode(view);
  let present = Boolean(data.present);
  const show = () => {
    const query = new URLSearchParams(location.search);
    query.delete("present");
    field.set(shareUrl(address.origin + location.pathname, query, { present }));
    setText(does, [t("sharing.map_does"), present ? t("sharing.large") : ""].join(" "));
    code.show(field.get(), t("share.qr"));
  };
  address.onchange = show;
  show();
  dialog(view, t("share.title"), address.element, h("div", {}, field.element, does),
    h("label", {}, h("input", { type: "checkbox", checked: present, onchange: (event) => {
      present = event.target.checked;
      show();
    } }), " ", t("share.present")),
    code.element).showModal();
}
