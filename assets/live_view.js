// Entry of the live view. Streamlit calls `mount` again on every rerun of the script: the view is
// updated in place, so that charts stay mounted while the run goes on.

import { loadPlotly } from "./live/charts/plotly.js";
import { linkStyles, preloadModules } from "./live/lib/preload.js";

// This module's own address is <base>/assets/<version>/live_view.js; Plotly's is made of the same.
const [, base, version] = new URL(import.meta.url).pathname.match(/^(.*)\/assets\/([^/]+)\/[^/]+$/);
linkStyles(import.meta.url);
preloadModules(import.meta.url);
const loaded = import("./live/view.js");
loadPlotly(base, version).catch(() => {}); // the view says so if it fails

const places = new WeakMap();

/**
 * @param parentElement where to draw
 * @param data see bnviz/ui/live_view.py
 * @param setTriggerValue hands a command to the page's script
 * @param setStateValue tells it what is open
 * @returns cleanup, which ends the view only when its place has left the document
 */
export default function mount({ parentElement, data, setTriggerValue, setStateValue }) {
  let place = places.get(parentElement);
  if (!place || place.left()) {
    place?.end();
    place = new Place(parentElement);
    places.set(parentElement, place);
  }
  place.update(data, setTriggerValue, setStateValue);
  return () => {
    if (!parentElement.isConnected) place.end();
  };
}

/** The view in one element, from before its modules are there. */
class Place {
  #parent;
  #view = null;
  #latest = null;
  #ended = false;

  constructor(parent) {
    this.#parent = parent;
    loaded.then(({ LiveView }) => {
      if (!this.#ended) this.#view = new LiveView(parent, ...this.#latest);
    });
  }

  update(...latest) {
    this.#latest = latest;
    document.documentElement.lang = latest[0].language ?? "en"; // the words are the page's
    this.#view?.update(...latest);
  }

  /** Whether the view is gone from its element, or the element was given to something else. */
  left() {
    return this.#ended || (this.#view && (this.#view.ended || this.#view.root.parentElement !== this.#parent));
  }

  end() {
    this.#ended = true;
    this.#view?.destroy();
  }
}
