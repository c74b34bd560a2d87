// What this browser keeps of the course: lessons seen to the end, and guesses. It marks the former in
// the list and counts the latter; and it writes the run into the address, so that a reload finds it.

import { fill, h } from "../live/lib/dom.js";
import { translator } from "../live/lib/texts.js";
import { keepFocus } from "./focus.js";

const STORED = "bnviz-lessons";
const STYLE = "bnviz-lessons-done";

/**
 * @param parentElement where the count stands
 * @param data see bnviz/ui/lessons/course.py
 */
export default function mount({ parentElement, data }) {
  keepFocus();
  showBeat(data.beat);
  const kept = read();
  if (data.lesson) keep(kept, data);
  mark(kept);
  if (data.run) addRun(data.run);
  const count = Object.values(kept).filter(({ guess }) => guess).length;
  const t = translator(data.texts);
  const key = ["guesses_none", "guesses_one"][count] ?? "guesses_many";
  fill(parentElement, h("p", { class: "lesson-kept" }, t(key, { count }), " ", h("small", {}, t("kept"))));
}

let shown = null; // the beat that was open last

/** Another beat begins at its head, wherever the last one was read to. */
function showBeat(beat) {
  if (shown !== null && shown !== beat) {
    document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0, behavior: "instant" });
  }
  shown = beat;
}

function keep(kept, { lesson, done, guess }) {
  const before = kept[lesson] ?? {};
  const now = { done: before.done || done || undefined, guess: guess ?? before.guess };
  if (now.done || now.guess) kept[lesson] = now;
  write(kept);
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

/** A tick at each lesson that was done, by a style: the links themselves are Streamlit's. */
function mark(kept) {
  const done = Object.keys(kept).filter((name) => kept[name]?.done && /^[a-z-]+$/.test(name));
  const places = done.map((name) => `[data-lesson="${name}"]`);
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
