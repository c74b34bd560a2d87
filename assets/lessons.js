// Browser side of the lesson pages. It stores progress, and it marks and counts finished lessons and opened answers. It
// writes the run into the address, so that a reload shows the same run. It also keeps the keyboard focus when Streamlit
// redraws the page.

import { fill, h } from "./live/lib/dom.js";
import { countedText, translator } from "./live/lib/texts.js";
import { keepLesson, keepLooked, readLessons, readLooked } from "./lessons/progress.js";
import { takeAlong } from "./lessons/take_along.js";

const STYLE = "bnviz-lessons-done";
const OPEN_BEAT = "[class*='st-key-lesson_beat_']";
const WORDS = ".st-key-lesson_words";
const PLACES = `${OPEN_BEAT}, ${WORDS}`;
// URL parameters that a lesson has before the reader has done anything in it
const PLAIN = new Set(["lesson", "run", "lang"]);
const PATIENCE = 15_000; // maximum time in ms to wait for the Streamlit script

/**
 * Update the lesson page. Streamlit calls this at each rerun.
 * @param parentElement where the number of guesses is shown
 * @param data see bnviz/ui/lessons/curriculum.py
 */
export default function mount({ parentElement, data }) {
  listen();
  showBeat(data.beat);
  if (arrivedAt(data.lesson, parentElement) && reopen(data.lesson)) return;
  if (data.lesson) keepLesson(data.lesson, data);
  ({ course, texts: { list: words } } = data);
  mark();
  if (data.run) addRun(data.run);
  const t = translator(data.texts);
  const told = h("p.lesson-kept");
  const tell = () => {
    const count = Object.values(readLessons()).filter(({ guess }) => guess).length;
    fill(told, count ? countedText(t, "list.guesses", count) : t("list.guesses_none"), " ", h("small", t("list.kept")));
    mark();
  };
  tell();
  fill(parentElement, told, data.lesson ? null : h("div.bnviz", takeAlong(t, tell)));
}

let here = {}; // the open lesson, and this module's element on the lesson's page

/**
 * Return whether the reader has just come from another page. Only then may the lesson's run be repeated. If the reader
 * goes back within a lesson, the lesson must show its state before the guess.
 */
function arrivedAt(lesson, element) {
  const arrived = here.lesson !== lesson || here.element !== element;
  here = { lesson, element };
  return arrived && Boolean(lesson);
}

/**
 * If the lesson was finished in this browser, repeat its run with the stored guess and seed. Do nothing if the address
 * has parameters that are not in `PLAIN`.
 *
 * @returns whether the run is repeated, which redraws the page
 */
function reopen(lesson) {
  const { done, guess, seed } = readLessons()[lesson] ?? {};
  const address = new URL(location.href);
  if (!done || !guess || [...address.searchParams.keys()].some((name) => !PLAIN.has(name))) return false;
  address.searchParams.delete("run");
  address.searchParams.set("guess", guess);
  if (seed) address.searchParams.set("seed", seed);
  address.searchParams.set("again", "1");
  history.replaceState(history.state, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  return true;
}

let shown = null; // the section of the lesson that was last open

/** Scroll to the top if another section of the lesson has been opened. */
function showBeat(beat) {
  if (shown !== null && shown !== beat) {
    document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0, behavior: "instant" });
  }
  shown = beat;
}

let course = []; // the names of the numbered lessons
let words = {}; // texts of the table `list` in the language of the page

/** Store that the answer to a review question was opened. */
function noteOpened({ target }) {
  const name = target instanceof Element && target.open && target.dataset?.question;
  if (!name) return;
  keepLooked(name);
  mark();
}

/**
 * Mark finished lessons, the next lesson and opened answers. The marks are in a style sheet, because Streamlit may
 * replace the elements.
 */
function mark() {
  const kept = readLessons();
  const done = Object.keys(kept).filter((name) => kept[name].done);
  const next = course.find((name) => !kept[name]?.done);
  const rules = [
    [next ? [`.lesson-list [data-lesson="${next}"] a::after`] : [], JSON.stringify(words[done.length ? "next" : "start"])],
    [done.map((name) => `[data-lesson="${name}"] a::after`), "\"✓\""],
    [readLooked().map((name) => `[data-question="${name}"] > summary::after`), `" ✓" / ${JSON.stringify(` (${words.looked})`)}`],
  ];
  let style = document.getElementById(STYLE);
  if (!style) document.head.append((style = h("style", { id: STYLE })));
  const written = rules.filter(([places]) => places.length);
  style.textContent = written.map(([places, content]) => `${places.join(", ")} { content: ${content}; }`).join("\n");
}

/** Write the run into the address without adding an entry to the browser's history. */
function addRun(run) {
  const address = new URL(location.href);
  if (address.searchParams.get("run") === run) return;
  address.searchParams.set("run", run);
  history.replaceState(history.state, "", address);
}

let listening = false;

/** Add the listeners once, to the document, because Streamlit replaces the elements of the page. */
function listen() {
  if (listening) return;
  listening = true;
  document.addEventListener("toggle", noteOpened, true);
  document.addEventListener("keydown", keepFocus, true);
}

/**
 * After a button was pressed with a key and has disappeared in the redrawn page, restore the focus. Otherwise keyboard
 * navigation would restart at the top of the page.
 */
function keepFocus({ key, target }) {
  if (key !== "Enter" && key !== " ") return;
  const place = target instanceof Element && target.closest("button, [role=button]") && target.closest(PLACES);
  if (place) watch(target, place);
}

/**
 * Check repeatedly whether the focus was lost, until `PATIENCE` has passed or the reader presses a key or the pointer.
 * During this time, Streamlit may focus another element, and may remove the `tabindex` of a section.
 */
function watch(pressed, place) {
  const key = [...pressed.closest("[class*='st-key-']").classList].find((name) => name.startsWith("st-key-"));
  const until = performance.now() + PATIENCE;
  let given = pressed;
  const goneOn = new AbortController();
  for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, () => goneOn.abort(), { capture: true, signal: goneOn.signal });
  const look = () => {
    if (goneOn.signal.aborted) return;
    const lost = document.activeElement === document.body || !document.activeElement;
    if (lost && (!given.isConnected || given !== pressed)) given = restoreFocus(key, place) ?? given;
    if (performance.now() < until) setTimeout(look, 100);
    else goneOn.abort();
  };
  setTimeout(look, 100);
}

/**
 * Focus the redrawn button if it exists, or else the open section, or else the container of the previous button.
 *
 * @returns the element that now has the focus
 */
function restoreFocus(key, place) {
  const again = document.querySelector(`.${CSS.escape(key)} button:not(:disabled)`);
  const beat = document.querySelector(OPEN_BEAT) ?? (place.isConnected ? place : document.querySelector(WORDS));
  if (!again && beat) beat.tabIndex = -1;
  (again ?? beat)?.focus({ preventScroll: true });
  return document.activeElement;
}
