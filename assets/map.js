// Entry of the stability map: Streamlit calls `mount` at each rerun.

import { linkStyles } from "./live/lib/preload.js";
import { MapView } from "./map/view.js";

linkStyles(new URL(".", import.meta.url), "map.css", "map_stage.css");

const places = new WeakMap(); // by place: the map that stands there

/** @param component see bnviz/ui/map */
export default function mount(component) {
  const { parentElement } = component;
  let view = places.get(parentElement);
  if (!view?.root.isConnected) {
    view?.end();
    view = new MapView(parentElement, component);
    places.set(parentElement, view);
  }
  view.update(component);
  return () => {
    if (!parentElement.isConnected) view.end();
  };
}
