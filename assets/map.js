// Entry of the stability map: Streamlit calls `mount` at each rerun.

import { linkStyles } from "./live/lib/preload.js";
import { standing } from "./live/lib/standing.js";
import { MapView } from "./map/view.js";

linkStyles(new URL(".", import.meta.url), "map.css", "map_stage.css");

/** @param component see bnviz/ui/map */
export default standing((component) => new MapView(component.parentElement, component));
