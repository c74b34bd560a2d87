// Pointing at a step: hovering a chart over time shows that step everywhere, a click pins it.

const CLICK = 4; // px a pointer may move between press and release

/**
 * @param element around the figure
 * @param stepAt gives the step under a pointer event, or null
 * @param view whose time it is; another run has another
 */
export function listenForSteps(element, stepAt, view) {
  let pressed = null;
  let before = null; // what was pinned before a click that may become a double one
  element.addEventListener("pointermove", (event) => {
    if (event.buttons || event.pointerType === "touch") return; // a zoom, or a finger scrolling
    const at = stepAt(event);
    if (at === null) view.time.leave();
    else view.time.hover(at);
  });
  element.addEventListener("pointerleave", () => view.time.leave());
  // Plotly ends a press on an element of its own, so the click is made of its two halves.
  element.addEventListener("pointerdown", (event) => (pressed = event), { capture: true });
  element.addEventListener("click", (event) => {
    const moved = pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY);
    const at = stepAt(event);
    if (at === null || moved > CLICK) return;
    // A double click gives the axes back and pins nothing.
    if (event.detail > 1) return view.time.back(before);
    before = view.time.pinned;
    view.time.pin(at);
  });
}
