// Mounts parts of the page in Streamlit, and loads their styles and modules beforehand.
//
// The page's head lists what can be preloaded, in attributes of the script that starts the live view (`EarlyStart` in
// bnviz/live/web/early_start.py). Without these attributes everything loads on demand.

const KIT = ["kit.css", "controls.css"]; // style sheets that the server usually puts into the head of a page
const STYLES = ["live_view.css", "live_knobs.css", "page_layout.css", "drawn_curve.css", "live_steady.css", "stage.css", "share.css", "talk.css", "classroom.css"];
const { modules = "", later = "" } = document.querySelector("script[data-modules]")?.dataset ?? {};

/**
 * Make the function that Streamlit calls at every rerun of the script. Each place on the page keeps its part through
 * all reruns.
 * @param make creates the part of a new place from Streamlit's component object. A part has `root`, its element;
 * `update(component)`, called at every rerun; and `end()`, called after its place has been removed from the document
 */
export function mountOnce(make) {
  const parts = new WeakMap(); // parent element → part
  return function mount(component) {
    const { parentElement } = component;
    let part = parts.get(parentElement);
    if (!part?.root.isConnected) {
      part?.end();
      part = make(component);
      parts.set(parentElement, part);
    }
    part.update(component);
    return () => {
      if (!parentElement.isConnected) part.end();
    };
  };
}

/**
 * Link the style sheets of the live view, each once for the whole page, in the order of the cascade.
 *
 * @param here `import.meta.url` of a module directly under assets/
 * @param own further style sheets of that module, linked last
 */
export function linkStyles(here, ...own) {
  const kit = document.querySelector("style[data-kit]") ? [] : KIT;
  for (const name of [...kit, ...STYLES, ...own]) link("stylesheet", new URL(name, here).href);
}

/**
 * Request all modules of the live view at once. Otherwise the browser would request each module only after the module
 * that imports it.
 */
export function preloadModules(here) {
  for (const name of words(modules)) link("modulepreload", new URL(`${name}.js`, here).href);
}

/**
 * Load the code of Streamlit's widgets while the server prepares the knobs. Streamlit itself requests a widget's code
 * only when it first draws the widget, and leaves a gap on the page until the code has arrived.
 */
export function preloadWidgets() {
  // Ignore a failure: Streamlit requests the code again when it needs it.
  for (const path of words(later)) import(new URL(path, location.origin).href).catch(() => {});
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
