// Rules for the keyboard focus after a dialog, after a click, and in groups of radio buttons. The Space key plays and
// pauses the run, so the focus must not stay on a button by accident: Space would press it.

import { modified } from "./dom.js";

/**
 * Return the focus to the button that opened a dialog or a menu. The attribute `data-returned` marks the button until
 * it loses the focus again. Meanwhile, Space plays and pauses the run although a button has the focus, and Enter opens
 * the dialog again. If another element has taken the focus by now, do nothing: browsers report the closing of a dialog
 * with a delay.
 */
export function returnFocusTo(opener) {
  const now = document.activeElement;
  if (now && now !== document.body && now !== opener && !now.closest("dialog")) return;
  opener.focus();
  opener.dataset.returned = "";
  opener.addEventListener("blur", () => delete opener.dataset.returned, { once: true });
}

/**
 * Remove the focus from a button that was clicked with a pointer. A button that was pressed with a key keeps the focus.
 */
export function blurClicked({ detail, target }) {
  const clicked = target.closest("button, label");
  if (detail > 0 && clicked?.contains(document.activeElement)) document.activeElement.blur();
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Direction of an arrow key as [right, down]. It is undefined for other keys, and while a modifier key is pressed. */
export function wayOf(event) {
  return modified(event) ? undefined : ARROWS[event.key];
}

const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], dialog[open]";

/**
 * Return whether an element needs the keys itself, because the reader types in it or because it is in an open dialog.
 */
export function takesKeys(element) {
  return element.closest(TYPING) !== null;
}

// Elements that use the Space key themselves.
const USES_SPACE = "button, summary, a, input:not([type=range]), label, [role=application]";

/**
 * Listen on the document for keys that the focused element does not use itself. A button to which the focus was
 * returned does not use the Space key.
 * @param press called with the key and the target; returns whether it handled the key
 * @param signal aborts to remove the listeners
 */
export function listenForKeys(press, signal) {
  const onKeyDown = (event) => {
    if (event.defaultPrevented || modified(event)) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (takesKeys(target) || (event.key === " " && !target.closest("[data-returned]") && target.closest(USES_SPACE))) return;
    if (press(event.key, target)) event.preventDefault();
  };
  // Browsers press a focused button when Space is released. Prevent this if the focus was returned to the button.
  const onKeyUp = (event) => event.key === " " && event.target.closest?.("[data-returned]") && event.preventDefault();
  document.addEventListener("keydown", onKeyDown, { signal });
  document.addEventListener("keyup", onKeyUp, { signal });
}

let listeners = 0;

/**
 * Make Tab move the focus to the checked button of a group of `role=radio` elements. Browsers do this for native radio
 * buttons, but Streamlit's segmented controls put the first button into the tab order. All views share one listener on
 * the document.
 * @returns function that removes the listener if no other view needs it
 */
export function tabToChecked() {
  if (listeners++ === 0) document.addEventListener("focusin", moveToChecked);
  return () => {
    if (--listeners === 0) document.removeEventListener("focusin", moveToChecked);
  };
}

function moveToChecked({ target, relatedTarget }) {
  const group = target.closest?.("[role=radiogroup]");
  if (!group || target.getAttribute("role") !== "radio" || group.contains(relatedTarget)) return;
  if (!target.matches(":focus-visible")) return; // a pointer chose this button
  const checked = group.querySelector('[role=radio][aria-checked="true"]');
  if (!checked || checked === target) return;
  // Make the checked button the group's only tab stop, so that Shift+Tab leaves the group.
  for (const radio of group.querySelectorAll("[role=radio]")) radio.tabIndex = radio === checked ? 0 : -1;
  checked.focus();
}
