// Tab lands on the checked one of a group of radio buttons. Native ones do it by themselves; those of
// the page's own controls have their first one in the order of keys.

let listeners = 0;

/** Listen on the document, once for all views; returns the function that ends it. */
export function tabToChecked() {
  if (listeners++ === 0) document.addEventListener("focusin", move);
  return () => {
    if (--listeners === 0) document.removeEventListener("focusin", move);
  };
}

function move({ target, relatedTarget }) {
  const group = target.closest?.("[role=radiogroup]");
  if (!group || target.getAttribute("role") !== "radio" || group.contains(relatedTarget)) return;
  if (!target.matches(":focus-visible")) return; // a pointer pressed just this one
  const checked = group.querySelector('[role=radio][aria-checked="true"]');
  if (!checked || checked === target) return;
  // Or else Shift and Tab would come by here on their way out.
  for (const radio of group.querySelectorAll("[role=radio]")) radio.tabIndex = radio === checked ? 0 : -1;
  checked.focus();
}
