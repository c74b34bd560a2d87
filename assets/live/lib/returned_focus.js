// Where the focus goes, so that Space plays and pauses.

/**
 * Give the focus back to the button that opened what lay over the page. Space plays and pauses then,
 * though the focus is on that button: Enter opens it again, and so does Space once the focus has been
 * elsewhere. What has been taken hold of meanwhile keeps it: a browser says that a dialog was closed a
 * moment after it was.
 */
export function giveBackTo(opener) {
  const now = document.activeElement;
  if (now && now !== document.body && now !== opener && !now.closest("dialog")) return;
  opener.focus();
  opener.dataset.returned = "";
  opener.addEventListener("blur", () => delete opener.dataset.returned, { once: true });
}

/**
 * What was clicked does not keep the focus: Space is not to click it again. Who comes to a button by keys
 * goes on pressing it with them.
 */
export function leaveClicked({ detail, target }) {
  const clicked = target.closest("button, label");
  if (detail > 0 && clicked?.contains(document.activeElement)) document.activeElement.blur();
}
