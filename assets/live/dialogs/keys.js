// The keys and what they do.

import { h } from "../lib/dom.js";
import { dialog } from "./dialog.js";

const KEYS = ["space", "s", "a", "zero", "arrows", "pages", "escape", "digits", "p", "question"];

export function openKeys(view) {
  const { t } = view;
  const box = dialog(view, t("keys.title"),
    h("dl", { class: "bnviz-keys" }, ...KEYS.flatMap((key) => [
      h("dt", {}, h("kbd", {}, t(`keys.${key}`))), h("dd", {}, t(`keys.${key}_does`)),
    ])));
  box.showModal();
}
