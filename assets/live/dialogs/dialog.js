// Dialogs of the live view and of the map, a field with a copy button, and the dialog that lists the keys.

import { button, h, pill, setText } from "../lib/dom.js";
import { returnFocusTo } from "../lib/keyboard_focus.js";

/**
 * Open a native dialog. It traps the focus. Esc or a click outside closes the dialog, and a closed dialog is removed
 * from the page.
 *
 * @param view {root, t, data: {dark}}
 */
export function dialog(view, title, ...content) {
  const box = h("dialog.bnviz-dialog", { "aria-label": title, "data-theme": view.data.dark ? "dark" : "light" },
    h("header", h("h2", title),
      button("×", () => box.close(), { className: "bnviz-icon", aria: view.t("dialog.close") })),
    content);
  const opener = document.activeElement;
  box.addEventListener("close", () => {
    box.remove();
    returnFocus(view, opener);
  });
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close(); // the backdrop
  });
  view.root.append(box);
  box.showModal();
  return box;
}

/** Return the focus to the button that opened a dialog, or to the button that has replaced it in the meantime. */
function returnFocus(view, opener) {
  const name = opener?.dataset?.control;
  const there = opener?.isConnected ? opener : name && view.root.querySelector(`[data-control="${name}"]`);
  if (!there || there === document.body) return;
  returnFocusTo(there);
}

/** Return a read-only text field with a copy button, as {element, set(text), get()}. */
export function copyField(view, label, text) {
  const field = h("input", { type: "text", readonly: true, value: text, "aria-label": label, onfocus: () => field.select() });
  const copy = pill(view.t("dialog.copy"), () => copyText(field, copy, view));
  const element = h("div.bnviz-copy", h("span", label), field, copy);
  return { element, set: (value) => (field.value = value), get: () => field.value };
}

/**
 * Copy the text of a field. Browsers offer the clipboard only over https. On plain http, as in a classroom, the old
 * command "copy" is used.
 */
async function copyText(field, copy, view) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  copy.textContent = view.t("dialog.copied");
}

/**
 * Create a line that reports the progress of a task.
 *
 * @param working text shown while the task runs
 * @returns {element, doing(work)}; `doing` runs the task `work` and shows that it is running, or why it failed
 */
export function workStatus(t, working) {
  const element = h("small", { role: "status" });
  const doing = async (work) => {
    setText(element, working);
    try {
      await work();
      setText(element, "");
    } catch (error) {
      setText(element, t("export.failed", { reason: error.message }));
    }
  };
  return { element, doing };
}

const KEYS = ["space", "s", "a", "zero", "arrows", "pages", "escape", "digits", "p", "n", "question"];

/** Open the list of keyboard shortcuts. @param keys names of the shortcuts that the page has */
export function openKeys(view, keys = KEYS) {
  const { t } = view;
  dialog(view, t("keys.title"),
    h("dl.bnviz-keys", keys.flatMap((key) => [
      h("dt", h("kbd", t(`keys.${key}`))), h("dd", t(`keys.${key}_does`)),
    ])));
}
