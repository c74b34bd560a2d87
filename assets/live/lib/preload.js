// What is loaded before it is needed. The page's head says what there is, in attributes of the
// script that begins the live view (`EarlyStart` in bnviz/live); without them all comes when needed.

const KIT = ["kit.css", "controls.css"]; // in the page's head already, unless it is none of ours
const STYLES = ["live_view.css", "live_knobs.css", "live_block.css", "drawn_curve.css", "live_steady.css", "stage.css", "share.css", "talk.css", "classroom.css"];
const { modules = "", later = "" } = document.querySelector("script[data-modules]")?.dataset ?? {};

/** Link the styles, once for all parts of the page, in the order in which they count; then one's own. */
export function linkStyles(here, ...own) {
  const kit = document.querySelector("style[data-kit]") ? [] : KIT;
  for (const name of [...kit, ...STYLES, ...own]) link("stylesheet", new URL(name, here).href);
}

/** Load all modules of the live view at once, rather than import by import. */
export function preloadModules(here) {
  for (const name of words(modules)) link("modulepreload", new URL(`${name}.js`, here).href);
}

/**
 * Run what Streamlit draws the knobs with, while the server makes them. It would ask for each kind when
 * it first draws one, and show a hole meanwhile.
 */
export function preloadWidgets() {
  for (const path of words(later)) import(new URL(path, location.origin).href).catch(() => {}); // Streamlit asks again
}

function words(text) {
  return text.split(" ").filter(Boolean);
}

function link(rel, href) {
  if ([...document.querySelectorAll(`link[rel="${rel}"]`)].some((one) => one.href === href)) return;
  const element = document.createElement("link");
  Object.assign(element, { rel, href });
  document.head.append(element);
}
