// What this browser keeps of the course: lessons seen to the end, and guesses. It marks the former in
// the list and counts the latter; and it writes the run into the address, so that a reload finds it.

import { fill, h } from "../live/lib/dom.js";
import { translator } from "../live/lib/texts.js";
import { keepFocus } from "./focus.js";

const STORED = "bnviz-lessons";
const STYLE = "bnviz-lessons-done";

/**
 * @param parentElement where the count stands
 * @param data see bnviz/ui/lessons/progress.py
 */
export default function mount({ parentElement, data }) {
  keepFocus();
  const kept = read();
  const before = kept[data.lesson] ?? {};
  const now = { done: before.done || data.done || undefined, guess: data.guess ?? before.guess };
  if (now.done || now.guess) kept[data.lesson] = now;
  write(kept);
  mark(kept);
  if (data.run) addRun(data.run);
  const count = Object.values(kept).filter(({ guess }) => guess).length;
  const t = translator(data.texts);
  const key = ["guesses_none", "guesses_one"][count] ?? "guesses_many";
  fill(parentElement, h("p", { class: "lesson-kept" }, t(key, { count }), " ", h("small", {}, t("kept"))));
}

/** What is kept; nothing where storage is refused or holds something else. */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED) ?? "{}");
    return kept && typeof kept === "object" && !Array.isArray(kept) ? kept : {};
  } catch {
    return {};
  }
}

function write(kept) {
  try {
    localStorage.setItem(STORED, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing shows nothing as done.
  }
}

/** A tick before each lesson that was done, by a style: the links themselves are Streamlit's. */
function mark(kept) {
  const done = Object.keys(kept).filter((name) => kept[name]?.done && /^[a-z-]+$/.test(name));
  const places = done.flatMap((name) => [`.st-key-lesson_link_side_${name}`, `.st-key-lesson_link_fold_${name}`]);
  let style = document.getElementById(STYLE);
  if (!style) document.head.append((style = h("style", { id: STYLE })));
  style.textContent = places.length ? `${places.map((place) => `${place} a::after`).join(", ")} { content: "✓"; }` : "";
}

/** The run in the address, in place: going back is for pages and settings. */
function addRun(run) {
  const address = new URL(location.href);
  if (address.searchParams.get("run") === run) return;
  address.searchParams.set("run", run);
  history.replaceState(history.state, "", address);
}
