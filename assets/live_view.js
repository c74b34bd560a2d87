// Entry point of the live view. Streamlit calls the default export at every rerun of the script. The view is then
// updated in place, so that its charts stay mounted.

import { loadPlotly } from "./live/charts/loading.js";
import { linkStyles, mountOnce, preloadModules } from "./live/lib/mounting.js";

// This module's address is <base>/assets/<version>/live_view.js.
const [, base, version] = new URL(import.meta.url).pathname.match(/^(.*)\/assets\/([^/]+)\/[^/]+$/);
linkStyles(import.meta.url);
preloadModules(import.meta.url);
const loaded = import("./live/view.js");
loadPlotly(base, version).catch(() => {}); // the view shows a notice

/**
 * Entry point for Streamlit. The argument contains `data`, the contents of the view (see bnviz/ui/live_view.py), and
 * two functions that send data to the Streamlit script: `setTriggerValue` sends a command, and `setStateValue` a state
 * of the view.
 */
export default mountOnce(({ parentElement }) => new MountedView(parentElement));

/** The live view in one element. An instance exists before the modules of the view have been loaded. */
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

  get root() {
    return this.#view?.root ?? this.#parent;
  }

  update({ data, setTriggerValue, setStateValue }) {
    this.#latest = [data, setTriggerValue, setStateValue];
    document.documentElement.lang = data.language ?? "en"; // language of the view's texts
    this.#view?.update(...this.#latest);
  }

  end() {
    this.#ended = true;
    this.#view?.destroy();
  }
}
