// Entry of the live view. Streamlit calls `mount` at every rerun of the script; the view is updated in place,
// so that its charts stay mounted.

import { loadPlotly } from "./live/charts/loading.js";
import { linkStyles, preloadModules } from "./live/lib/mounting.js";

// This module's address is <base>/assets/<version>/live_view.js.
const [, base, version] = new URL(import.meta.url).pathname.match(/^(.*)\/assets\/([^/]+)\/[^/]+$/);
linkStyles(import.meta.url);
preloadModules(import.meta.url);
const loaded = import("./live/view.js");
loadPlotly(base, version).catch(() => {}); // the view shows a notice

const mounted = new WeakMap(); // parent element → MountedView

/**
 * @param parentElement where the view is drawn
 * @param data see bnviz/ui/live_view.py
 * @param setTriggerValue hands a command to the page's script
 * @param setStateValue tells the page's script a state of the view
 * @returns function for Streamlit's cleanup; the view ends only when its parent has left the document
 */
export default function mount({ parentElement, data, setTriggerValue, setStateValue }) {
  let view = mounted.get(parentElement);
  if (!view || view.gone()) {
    view?.end();
    view = new MountedView(parentElement);
    mounted.set(parentElement, view);
  }
  view.update(data, setTriggerValue, setStateValue);
  return () => {
    if (!parentElement.isConnected) view.end();
  };
}

/** The live view in one element. It exists before the modules of the view have been loaded. */
class MountedView {
  #parent;
  #view = null;
  #latest = null; // arguments of the last update
  #ended = false;

  constructor(parent) {
    this.#parent = parent;
    loaded.then(({ LiveView }) => {
      if (!this.#ended) this.#view = new LiveView(parent, ...this.#latest);
    });
  }

  update(...latest) {
    this.#latest = latest;
    document.documentElement.lang = latest[0].language ?? "en"; // the language of the view's words
    this.#view?.update(...latest);
  }

  /** Whether the view has ended, or Streamlit has put something else into its parent. */
  gone() {
    return this.#ended || (this.#view && (this.#view.ended || this.#view.root.parentElement !== this.#parent));
  }

  end() {
    this.#ended = true;
    this.#view?.destroy();
  }
}
