// Keys: space plays, s steps, a asks the class, 0 restores the preset, Esc goes live, ? lists them, 1–9 choose charts in present mode.

const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox]";

/** Listen on the document; returns the function that ends it. */
export function listenToKeys(view) {
  const listener = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest(TYPING) || target.closest("dialog[open]")) return;
    // A block has the keys while the focus is in it.
    if (view.block && !view.root.contains(target)) return;
    const returned = target.closest("[data-returned]"); // a dialog was closed, nothing was chosen since
    if (event.key === " " && !returned && target.closest("button, summary, a, input:not([type=range]), label")) return;
    if (act(view, event.key)) event.preventDefault();
  };
  // Where a browser presses a button when the key is let go.
  const released = (event) => event.key === " " && event.target.closest?.("[data-returned]") && event.preventDefault();
  document.addEventListener("keydown", listener);
  document.addEventListener("keyup", released);
  return () => {
    document.removeEventListener("keydown", listener);
    document.removeEventListener("keyup", released);
  };
}

function act(view, key) {
  if (key === " ") return view.question.play() || view.time.hold() || view.act(view.transport.playing ? "pause" : "play");
  if (key === "s") return view.act("step");
  if (key === "0") return !view.block && !(view.data.hide ?? []).includes("preset") && view.act("restore");
  if (key === "a") return view.act("ask");
  if (key === "?") return view.act("keys");
  if (key === "Escape") {
    if (view.stage?.alone) {
      view.stage.setAlone(false);
      return true;
    }
    if (view.charts.closeLarge()) return true;
    if (view.time.rewound) {
      view.time.live();
      return true;
    }
    return false;
  }
  if (key === "p" && !view.block) return view.act("present");
  return /^[1-9]$/.test(key) && (view.stage ?? view.charts).pick(Number(key));
}
