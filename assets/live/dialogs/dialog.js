// A native dialog: focus is held inside, Esc closes it, and closing removes it.

import { button, h } from "../lib/dom.js";
import { giveBackTo } from "../lib/returned_focus.js";

export function dialog(view, title, ...content) {
  const box = h("dialog", { class: "bnviz-dialog", "aria-label": title, "data-theme": view.data.dark ? "dark" : "light" },
    h("header", {}, h("h2", {}, title),
      button("×", () => box.close(), { className: "bnviz-icon", aria: view.t("dialog.close") })),
    ...content);
  const opener = document.activeElement;
  box.addEventListener("close", () => {
    box.remove();
    giveBack(view, opener);
  });
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close(); // the backdrop
  });
  view.root.append(box);
  return box;
}

/** The focus returns to what opened a dialog, or to what has taken its place meanwhile. */
function giveBack(view, opener) {
  const name = opener?.dataset?.control;
  const there = opener?.isConnected ? opener : name && view.root.querySelector(`[data-control="${name}"]`);
  if (!there || there === document.body) return;
  giveBackTo(there);
}

/** A read-only field with a copy button beside it. */
export function copyField(view, label, text) {
  const field = h("input", { type: "text", readonly: true, value: text, "aria-label": label, onfocus: () => field.select() });
  const copy = button(view.t("dialog.copy"), () => copyText(field, copy, view), { className: "bnviz-pill" });
  const element = h("div", { class: "bnviz-copy" }, h("span", {}, label), field, copy);
  return { element, set: (value) => (field.value = value), get: () => field.value };
}

/** The clipboard needs a secure page; the old command works on plain http in a classroom. */
async function copyText(field, copy, view) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  copy.textContent = view.t("dialog.copied");
}
