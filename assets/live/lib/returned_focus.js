// Where the focus is after something that lay over the page.

/**
 * Give the focus back to the button that opened it. Space plays and pauses then, though the focus is on
 * that button: Enter opens it again, and so does Space once the focus has been elsewhere.
 */
export function giveBackTo(opener) {
  opener.focus();
  opener.dataset.returned = "";
  opener.addEventListener("blur", () => delete opener.dataset.returned, { once: true });
}
