// The keys and what they do.

import { h } from "../lib/dom.js";
import { dialog } from "./dialog.js";

const KEYS = ["space", "s", "a", "zero", "arrows", "pages", "escape", "digits", "p", "question"];

/** @param keys those that the page has, by their names in its words */
export function openKeys(view, keys = KEYS) {
  const { t } = view;
  const box = dialog(view, t("keys.title"),
    h("dl", { class: "bnviz-keys" }, ...keys.flatMap((key) => [
      h("dt", {}, h("kbd", {}, t(`keys.${key}`))), h("dd", {}, t(`keys.${key}_does`)),
    ])));
  box.showModal();
}
