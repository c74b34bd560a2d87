// What the browser does on the lessons' page: it keeps which lessons were finished, what was guessed and which answers to
// remember were opened, marks and counts them, writes the run into the address so that a reload finds it, and keeps the
// focus where the keys were.

import { fill, h } from "./live/lib/dom.js";
import { countedText, translator } from "./live/lib/texts.js";
import { keepLesson, keepLooked, readLessons, readLooked } from "./lessons/progress.js";
import { takeAlong } from "./lessons/take_along.js";

const STYLE = "bnviz-lessons-done";
const OPEN_BEAT = "[class*='st-key-lesson_beat_']";
const WORDS = ".st-key-lesson_words";
const PLACES = `${OPEN_BEAT}, ${WORDS}`;
const PLAIN = new Set(["lesson", "run", "lang"]); // what the address of a lesson has before anything is done there
const PATIENCE = 15_000; // ms in which the page's script answers

/**
 * Streamlit calls this at each rerun.
 *
 * @param parentElement where the number of guesses is shown
 * @param data see bnviz/ui/lessons/course.py
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

let here = {}; // the lesson that is open, and the element of this module on its page

/** Whether the reader comes from another page, so that Back within a lesson still leads to before the guess. */
function arrivedAt(lesson, element) {
  const arrived = here.lesson !== lesson || here.element !== element;
  here = { lesson, element };
  return arrived && Boolean(lesson);
}

/**
 * Repeat the run of a lesson that was finished in this browser, with the guess and the seed it had then. An address that
 * names more than the lesson is left as it is.
 *
 * @returns whether it is repeated; the page is drawn anew then
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

let shown = null; // the beat that was open last

/** Scroll to the top when another beat has been opened. */
function showBeat(beat) {
  if (shown !== null && shown !== beat) {
    document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0, behavior: "instant" });
  }
  shown = beat;
}

let course = []; // the names of the numbered lessons
let words = {}; // the table `list` of the frame

/** Keep that the answer to a question was opened. */
function noteOpened({ target }) {
  const name = target instanceof Element && target.open && target.dataset?.question;
  if (!name) return;
  keepLooked(name);
  mark();
}

/** Mark finished lessons, the next one, and opened answers, by a style sheet: the elements are Streamlit's. */
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

/** Write the run into the address, without a step in the browser's history. */
function addRun(run) {
  const address = new URL(location.href);
  if (address.searchParams.get("run") === run) return;
  address.searchParams.set("run", run);
  history.replaceState(history.state, "", address);
}

let listening = false;

/** Listen, once, to what the page's elements do: they come and go. */
function listen() {
  if (listening) return;
  listening = true;
  document.addEventListener("toggle", noteOpened, true);
  document.addEventListener("keydown", keepFocus, true);
}

/**
 * After a button was pressed by a key and has disappeared with the answer of the page, put the focus where the page goes on,
 * so that keys do not begin again at its top.
 */
function keepFocus({ key, target }) {
  if (key !== "Enter" && key !== " ") return;
  const place = target instanceof Element && target.closest("button, [role=button]") && target.closest(PLACES);
  if (place) watch(target, place);
}

/**
 * Until the page has answered, or the reader goes on, look whether what has the focus has disappeared. Streamlit may give it
 * to something else in between, and take a beat's `tabindex` away.
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
 * Focus the same button, if it was drawn anew; or else the beat that is open now, or the place in which the button stood.
 *
 * @returns what has the focus now
 */
function restoreFocus(key, place) {
  const again = document.querySelector(`.${CSS.escape(key)} button:not(:disabled)`);
  const beat = document.querySelector(OPEN_BEAT) ?? (place.isConnected ? place : document.querySelector(WORDS));
  if (!again && beat) beat.tabIndex = -1;
  (again ?? beat)?.focus({ preventScroll: true });
  return document.activeElement;
}
