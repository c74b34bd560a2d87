// Pointing at a step: over a chart over time the values there are shown at the pointer; a click pins
// the page to that step.

const CLICK = 4; // px a pointer may move between press and release

/**
 * @param element around the figure
 * @param pointAt gives {step, …} under a pointer event, or null
 * @param pointTo shows what was measured under an event; null: nothing
 * @param view whose time it is; another run has another
 */
export function listenForSteps(element, pointAt, pointTo, view) {
  let pressed = null;
  let before = null; // what was pinned before a click that may become a double one
  element.addEventListener("pointermove", (event) => {
    // Not in a zoom, nor under a finger that scrolls.
    pointTo(event.buttons || event.pointerType === "touch" ? null : event);
  });
  element.addEventListener("pointerleave", () => pointTo(null));
  // Plotly ends a press on an element of its own, so the click is made of its two halves.
  element.addEventListener("pointerdown", (event) => (pressed = event), { capture: true });
  element.addEventListener("click", (event) => {
    const moved = pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY);
    const at = pointAt(event);
    if (at === null || moved > CLICK) return;
    // A double click gives the axes back and pins nothing.
    if (event.detail > 1) return view.time.back(before);
    before = view.time.pinned;
    view.time.pin(at.step);
  });
}
