// Entry of the live view. Streamlit calls `mount` again on every rerun of the script: the view is
// updated in place, so that charts stay mounted while the run goes on.

import { LiveView } from "./live/view.js";

const views = new WeakMap();

/**
 * @param parentElement where to draw
 * @param data see bnviz/ui/live_view.py
 * @param setTriggerValue hands a command to the page's script
 * @returns cleanup, which ends the view only when its place has left the document
 */
export default function mount({ parentElement, data, setTriggerValue }) {
  let view = views.get(parentElement);
  if (view && (view.ended || view.root.parentElement !== parentElement)) {
    view.destroy();
    view = undefined;
  }
  if (view) view.update(data, setTriggerValue);
  else {
    addStyle();
    view = new LiveView(parentElement, data, setTriggerValue);
    views.set(parentElement, view);
  }
  return () => {
    if (!parentElement.isConnected) view.destroy();
  };
}

/** The stylesheet lies beside this module, so its address carries the same version. */
function addStyle() {
  const href = new URL("live_view.css", import.meta.url).href;
  if (document.querySelector(`link[href="${href}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
}
